#include "lib/stats/median_interval.h"

#include <algorithm>
#include <vector>

#include "lib/base/result.h"
#include "lib/stats/distributions.h"

namespace railgauge {
namespace {

// How many values at one end are left out so that the median lies beyond the next one with a chance
// of at most `tail`. Empty when it does so too often beyond the last.
std::optional<size_t> LeftOut(size_t count, double tail) {
  std::optional<size_t> left_out;
  for (size_t i = 0; 2 * i + 1 < count && CoinAtMost(i, count) <= tail; ++i) left_out = i;
  return left_out;
}

}  // namespace

std::optional<MedianInterval> IntervalOfMedian(std::span<const double> values, double confidence) {
  RAILGAUGE_CHECK(confidence > 0 && confidence < 1);
  const auto left_out = LeftOut(values.size(), (1 - confidence) / 2);
  if (!left_out) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return MedianInterval{{sorted[*left_out], sorted[sorted.size() - 1 - *left_out]},
                        1 - 2 * CoinAtMost(*left_out, sorted.size())};
}

std::optional<double> MedianNotBelow(std::span<const double> values, double confidence) {
  RAILGAUGE_CHECK(confidence > 0 && confidence < 1);
  const auto left_out = LeftOut(values.size(), 1 - confidence);
  if (!left_out) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(*left_out),
                   sorted.end());
  return sorted[*left_out];
}

}  // namespace railgauge
