// TimingRow: how long one operation took, over the iterations of one repetition: a row of what
// mr_register_bench and census_bench write with --csv_out.
#ifndef RAILGAUGE_BENCH_TIMING_ROW_H_
#define RAILGAUGE_BENCH_TIMING_ROW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/row_log.h"
#include "lib/base/units.h"
#include "lib/record/records.h"
#include "lib/report/schema.h"

namespace railgauge {

// An empty variable is one that the operation does not have: a whole census is of no single NIC.
struct TimingRow {
  std::string operation;  // "register", "deregister", "query"; "census"
  NicKey nic;
  std::optional<MemoryPlace> place;
  std::optional<RegistrationWay> way;
  std::optional<Bytes> size;
  uint32_t round = 0;  // the repetition
  uint64_t count = 0;  // of operations
  std::optional<Nanoseconds> latency_min;
  std::optional<Nanoseconds> latency_p50;
  std::optional<Nanoseconds> latency_p99;
  std::optional<Nanoseconds> latency_max;
  SampleStatus status = SampleStatus::kSkipped;  // ok, skipped or failed
  std::string reason;
};

template <>
std::span<const Column<TimingRow>> ColumnsOf<TimingRow>();

// Fills in the latencies from those of each operation. A percentile is the smallest latency that so
// large a share of them does not exceed.
void SetLatencies(std::vector<Nanoseconds> latencies, TimingRow* row);

// The row as a log takes it.
LoggedRow RowOf(const TimingRow& row);

// The header line of the file.
std::string TimingHeader();

}  // namespace railgauge

#endif  // RAILGAUGE_BENCH_TIMING_ROW_H_
