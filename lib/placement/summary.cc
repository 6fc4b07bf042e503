#include "lib/placement/summary.h"

#include <string>

#include "fmt/core.h"
#include "lib/placement/comparison.h"
#include "lib/stats/bootstrap.h"
#include "lib/stats/median.h"

namespace railgauge {
namespace {

std::optional<BytesPerSecond> Rate(const std::optional<double>& value) {
  return value ? std::optional(BytesPerSecond{*value}) : std::nullopt;
}

void JudgeMeasured(const Evidence& evidence, const MeasuredCell& cell, SummaryRow& row) {
  row.verdict = Verdict::kOk;
  const uint64_t bad = cell.failed + cell.invalid;
  if (bad > 0) {
    row.reason = fmt::format("{} of {} windows were not good: {}", bad, bad + cell.windows.size(),
                             cell.reason);
  }
  const auto standing = evidence.classes().Of(cell);
  if (standing && standing->suspect) {
    const Comparison comparison = evidence.classes().CompareWithClass(cell);
    const std::string gap =
        fmt::format("{} where {} cells of its class have a median of {}",
                    FormatBytesPerSecond(BytesPerSecond{*cell.median}), standing->members,
                    FormatBytesPerSecond(BytesPerSecond{standing->median}));
    if (comparison.outcome == Outcome::kWorse) {
      row.verdict = Verdict::kSlow;
      row.reason = gap;
      return;
    }
    if (comparison.outcome == Outcome::kUnproven) {
      row.verdict = Verdict::kUndecided;
      row.reason = "looks slow, but was not measured in turn with its class: " + gap;
      return;
    }
  }
  if (row.throughput_low && cell.windows.size() >= evidence.gates().min_rounds) {
    const double width = (row.throughput_high->value - row.throughput_low->value);
    if (width > evidence.gates().noisy_width * *cell.median) {
      row.verdict = Verdict::kNoisy;
      row.reason = fmt::format("the median lies anywhere between {} and {}",
                               FormatBytesPerSecond(*row.throughput_low),
                               FormatBytesPerSecond(*row.throughput_high));
    }
  }
}

void JudgeUnmeasured(const MeasuredCell& cell, SummaryRow& row) {
  row.verdict = cell.invalid > 0 ? Verdict::kInvalid : Verdict::kUndecided;
  row.reason = cell.reason.empty() ? "not measured" : cell.reason;
}

}  // namespace

std::vector<SummaryRow> Summarize(const Evidence& evidence) {
  const JudgeGates& gates = evidence.gates();
  std::vector<SummaryRow> rows;
  for (const MeasuredCell& cell : evidence.table().cells()) {
    SummaryRow row;
    row.cell = cell.cell;
    row.way = cell.way;
    row.relation = evidence.relations().Of(cell.cell.nic.address, cell.cell.place);
    row.interconnect_id = cell.interconnect_id;
    row.sample_count = cell.windows.size();
    const std::vector<double> values = cell.Values();
    row.throughput_median = Rate(cell.median);
    // One window has no spread: 0 would claim that it was seen to have none.
    if (values.size() > 1) row.throughput_mad = Rate(MedianAbsoluteDeviation(values));
    if (values.size() >= gates.min_rounds) {
      const auto interval =
          BootstrapMedian(values, {.confidence = gates.confidence, .seed = gates.seed});
      row.throughput_low = Rate(interval->low);
      row.throughput_high = Rate(interval->high);
    }
    if (cell.measured()) {
      JudgeMeasured(evidence, cell, row);
    } else {
      JudgeUnmeasured(cell, row);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace railgauge
