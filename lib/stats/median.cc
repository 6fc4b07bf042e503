#include "lib/stats/median.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lib/base/result.h"

namespace railgauge {

double MedianInPlace(std::span<double> values) {
  RAILGAUGE_CHECK(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  // Halves before the sum, so that it cannot overflow.
  return *std::max_element(values.begin(), middle) / 2 + *middle / 2;
}

std::optional<double> Median(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  std::vector<double> work(values.begin(), values.end());
  return MedianInPlace(work);
}

std::optional<double> MedianAbsoluteDeviation(std::span<const double> values) {
  const std::optional<double> median = Median(values);
  if (!median) return std::nullopt;
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - *median));
  return Median(distances);
}

double RobustZ(double value, double median, double mad, double floor) {
  constexpr double kNormalScale = 1.4826;  // 1 / the 3/4 quantile of the standard normal
  const double distance = value - median;
  const double deviation = std::max(kNormalScale * mad, floor);
  if (distance == 0) return 0;
  if (deviation == 0) return std::copysign(std::numeric_limits<double>::infinity(), distance);
  return distance / deviation;
}

}  // namespace railgauge
