#include "lib/stats/spread.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lib/stats/distributions.h"
#include "lib/stats/median.h"

namespace railgauge {

std::vector<double> RelativeDeviations(std::span<const double> values) {
  const auto median = Median(values);
  if (!median || !(*median > 0)) return {};
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - *median) / *median);
  return deviations;
}

double WiderSpreadPValue(std::span<const double> deviations, std::span<const double> others) {
  if (deviations.empty() || others.empty()) return 1;
  std::vector<std::pair<double, bool>> all;  // and whether it is one of `deviations`
  for (const double value : deviations) all.emplace_back(value, true);
  for (const double value : others) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  double rank_sum = 0, ties = 0;
  for (size_t first = 0, end = 0; first < all.size(); first = end) {
    size_t ours = 0;
    for (end = first; end < all.size() && all[end].first == all[first].first; ++end) {
      ours += all[end].second ? 1 : 0;
    }
    const auto tied = static_cast<double>(end - first);
    rank_sum += static_cast<double>(ours) * (static_cast<double>(first + end + 1) / 2);
    ties += tied * tied * tied - tied;
  }
  const auto n = static_cast<double>(deviations.size()), m = static_cast<double>(others.size());
  const double total = n + m;
  const double variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)));
  if (!(variance > 0)) return 1;
  const double excess = rank_sum - n * (total + 1) / 2 - 0.5;  // corrected for continuity
  return NormalBelow(-excess / std::sqrt(variance));
}

}  // namespace railgauge
