// Records of a comparison with a baseline: what runs of one kind of machine measured (a row of a
// baseline file), and how a run stands to it (compare.csv).
//
// Apart from records.h because they are about a kind of machine, not about one: a NIC is named by
// its slot (lib/topology/nic_slot.h), a memory place by its class.
#ifndef RAILGAUGE_LIB_RECORD_COMPARISON_ROW_H_
#define RAILGAUGE_LIB_RECORD_COMPARISON_ROW_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/units.h"
#include "lib/record/place.h"
#include "lib/record/records.h"

namespace railgauge {

// A cell as it is the same on every machine of an instance type.
struct SlotCell {
  std::string nic_slot;
  std::string place_kind;  // "host" or "gpu"
  Relation relation = Relation::kUnknown;
  Operation operation = Operation::kRead;
  Direction direction = Direction::kToMemory;
  Bytes size;
  uint32_t depth = 0;
  RegistrationWay way = RegistrationWay::kHost;
  friend auto operator<=>(const SlotCell&, const SlotCell&) = default;
};
// "host" or "gpu"; "accelerator" of what cannot be measured.
std::string_view KindOf(const MemoryPlace& place);

// A baseline file: one cell over the runs that it was made of.
struct BaselineRow {
  SlotCell cell;
  // How it was measured: "loopback", or "two_hosts" whoever the other was; and with how many queue
  // pairs, where the runs say so.
  std::string peer;
  std::optional<uint32_t> queue_pairs;
  uint64_t run_count = 0;
  uint64_t sample_count = 0;  // windows
  // Of the medians of the runs' cells. The interval holds the true median with the confidence, as
  // far as `interval_source` can tell: "runs" (each a value; at least eight), "windows" (all of
  // them, widened to hold every run's median) or "class" (the medians of the same cell in other
  // slots, widened to hold this one). Empty where there are fewer.
  BytesPerSecond throughput_median;
  std::optional<BytesPerSecond> throughput_low;
  std::optional<BytesPerSecond> throughput_high;
  std::optional<double> interval_confidence;
  std::string interval_source;
};

enum class CompareVerdict {
  kSame,     // no slower by more than the margin
  kSlower,   // by more than the margin, beyond doubt
  kFaster,   // likewise
  kNoisy,    // it looks slower, and what was measured is too little or spreads too much to tell
  kMissing,  // the baseline has it, and the run did not measure it
  kNew,      // the run measured it, and the baseline does not have it
};
std::string_view ToString(CompareVerdict verdict);  // "SAME", "SLOWER", ...
std::optional<CompareVerdict> ParseCompareVerdict(std::string_view text);

// compare.csv: one cell of the run, or one of the baseline that the run lacks.
struct ComparisonRow {
  SlotCell cell;
  std::optional<NicKey> nic;  // in this run; empty of a missing cell
  std::optional<MemoryPlace> place;
  uint64_t sample_count = 0;  // windows of this run
  std::optional<BytesPerSecond> throughput_median;
  std::string baseline_run_id;  // of the newest run of the baseline
  uint64_t baseline_run_count = 0;
  uint64_t baseline_sample_count = 0;
  std::optional<BytesPerSecond> baseline_median;
  std::optional<BytesPerSecond> baseline_low;
  std::optional<BytesPerSecond> baseline_high;
  std::optional<double> ratio;      // of the medians, run / baseline
  std::optional<double> ratio_low;  // by the cell's own windows and the baseline's interval
  std::optional<double> ratio_high;
  std::optional<double> interval_confidence;
  // The chance of such values if nothing were slower (of a faster cell: faster), adjusted for the
  // number of the run's comparisons of that kind.
  std::optional<double> adjusted_p_value;
  // What the verdict rests on: "windows" (of the cell), "nic" (its cells at all places), "class"
  // (this cell of all NICs); empty where it needed no proof, or there is none.
  std::string evidence;
  CompareVerdict verdict = CompareVerdict::kNoisy;
  std::string reason;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_RECORD_COMPARISON_ROW_H_
