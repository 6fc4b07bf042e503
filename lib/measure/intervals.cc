#include "lib/measure/intervals.h"

#include <algorithm>
#include <vector>

#include "lib/stats/median.h"
#include "lib/stats/two_speeds.h"

namespace railgauge {
namespace {

constexpr size_t kFewest = 3;
constexpr size_t kFewestForModes = 6;

}  // namespace

std::optional<IntervalSummary> SummarizeIntervals(std::span<const IntervalCount> intervals,
                                                  Bytes size, DipTest& dip_test) {
  std::vector<double> rates;
  for (const IntervalCount& interval : intervals) {
    const double seconds = std::chrono::duration<double>(interval.duration).count();
    if (seconds <= 0) continue;  // a peer's could be
    rates.push_back(static_cast<double>(interval.completions) * static_cast<double>(size.count) /
                    seconds);
  }
  if (rates.size() < kFewest) return std::nullopt;
  IntervalSummary summary;
  summary.count = rates.size();
  summary.min = BytesPerSecond{*std::min_element(rates.begin(), rates.end())};
  summary.median = BytesPerSecond{*Median(rates)};
  summary.mad = BytesPerSecond{*MedianAbsoluteDeviation(rates)};
  if (rates.size() >= kFewestForModes) {
    const auto speeds = FindTwoSpeeds(rates, kModeGap, dip_test);
    summary.modes = speeds && speeds->p_value <= kModeChance ? 2 : 1;
  }
  return summary;
}

}  // namespace railgauge
