#include "bench/timing_row.h"

#include <algorithm>
#include <cmath>

#include "lib/report/field.h"
#include "lib/report/report_csv.h"

namespace railgauge {
namespace {

template <typename Get>
constexpr Column<TimingRow> Of(std::string_view name, Get) {
  return {name, [](const TimingRow& row) { return PrintField(Get{}(row)); },
          [](std::string_view field, TimingRow& row) { return ParseField(field, Get{}(row)); }};
}

#define RAILGAUGE_FIELD(path) \
  [](auto& row) -> auto& { return row.path; }

constexpr Column<TimingRow> kColumns[] = {
    Of("operation", RAILGAUGE_FIELD(operation)),
    Of("nic_pci_address", RAILGAUGE_FIELD(nic.address)),
    Of("nic_name", RAILGAUGE_FIELD(nic.name)),
    Of("place", RAILGAUGE_FIELD(place)),
    Of("way", RAILGAUGE_FIELD(way)),
    Of("size_bytes", RAILGAUGE_FIELD(size)),
    Of("round", RAILGAUGE_FIELD(round)),
    Of("count", RAILGAUGE_FIELD(count)),
    Of("latency_min_ns", RAILGAUGE_FIELD(latency_min)),
    Of("latency_p50_ns", RAILGAUGE_FIELD(latency_p50)),
    Of("latency_p99_ns", RAILGAUGE_FIELD(latency_p99)),
    Of("latency_max_ns", RAILGAUGE_FIELD(latency_max)),
    Of("status", RAILGAUGE_FIELD(status)),
    Of("reason", RAILGAUGE_FIELD(reason)),
};

#undef RAILGAUGE_FIELD

}  // namespace

template <>
std::span<const Column<TimingRow>> ColumnsOf<TimingRow>() {
  return kColumns;
}

void SetLatencies(std::vector<Nanoseconds> latencies, TimingRow* row) {
  row->count = latencies.size();
  if (latencies.empty()) return;
  std::sort(latencies.begin(), latencies.end());
  const auto at = [&](double share) {
    const double rank = std::ceil(share * static_cast<double>(latencies.size()));
    return latencies[static_cast<size_t>(std::max(rank, 1.0)) - 1];
  };
  row->latency_min = latencies.front();
  row->latency_p50 = at(0.5);
  row->latency_p99 = at(0.99);
  row->latency_max = latencies.back();
}

LoggedRow RowOf(const TimingRow& row) {
  using Outcome = LoggedRow::Outcome;
  const Outcome outcome = row.status == SampleStatus::kOk        ? Outcome::kMeasured
                          : row.status == SampleStatus::kSkipped ? Outcome::kSkipped
                                                                 : Outcome::kWrong;
  return {outcome, [row](const RunIdentity& run, uint32_t round) {
            TimingRow line = row;
            line.round = round;
            return CsvRow(run, line);
          }};
}

std::string TimingHeader() { return CsvHeader<TimingRow>(); }

}  // namespace railgauge
