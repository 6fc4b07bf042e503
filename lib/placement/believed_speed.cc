#include "lib/placement/believed_speed.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "lib/stats/median.h"
#include "lib/stats/median_interval.h"

namespace railgauge {

SpeedRange BelievedSpeed(const MeasuredCell& cell, const SpeedClasses& classes,
                         const JudgeGates& gates) {
  std::vector<double> values;
  for (const Window& window : cell.windows) {
    if (!window.disturbed) values.push_back(window.value);
  }
  if (values.size() >= gates.min_rounds) {
    if (const auto found = IntervalOfMedian(values, gates.confidence)) {
      return {found->interval.low, found->interval.high};
    }
  }
  const auto standing = classes.Of(cell);
  if (values.empty() && standing) return {standing->median, standing->median, true};
  const double own = values.empty() ? *cell.median : *Median(values);
  const bool agree =
      standing && std::abs(own - standing->median) <= gates.differs * standing->median;
  if (values.size() >= kWindowsThatTell) {
    std::sort(values.begin(), values.end());
    if (agree) return {values[1], values[values.size() - 2]};
    return {values.front(), values.back(), true};
  }
  const SpeedRange odd = {own / gates.odd_window, own * gates.odd_window, true};
  if (!standing) return odd;
  const SpeedRange alone = agree ? SpeedRange{own, own, true} : odd;
  return {std::min(alone.low, standing->median), std::max(alone.high, standing->median), true};
}

Sure Less(const SpeedRange& range, const SpeedRange& other, bool likely) {
  if (range.high < other.low) return Sure::kYes;
  if (range.low >= other.high) return Sure::kNo;
  if (range.few_windows || other.few_windows) return Sure::kUnsure;
  return likely ? Sure::kYes : Sure::kNo;
}

SpeedRange operator+(const SpeedRange& a, const SpeedRange& b) {
  return {a.low + b.low, a.high + b.high, a.few_windows || b.few_windows};
}

SpeedRange operator*(double factor, const SpeedRange& range) {
  const double ends[] = {factor * range.low, factor * range.high};
  return {std::min(ends[0], ends[1]), std::max(ends[0], ends[1]), range.few_windows};
}

}  // namespace railgauge
