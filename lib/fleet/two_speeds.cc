#include "lib/fleet/two_speeds.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <set>
#include <utility>

#include "lib/stats/median.h"

namespace railgauge {
namespace {

// A gap this many times as wide as the values beside it scatter is no chance: of four normal values
// that have one speed, one set in a hundred has it.
constexpr double kGapOfNoise = 6;

// How much the values scatter that no wide gap divides: the standard deviation about the means of
// what is left together at the widest gaps. `sorted` falls. Empty where too few are.
std::optional<double> Scatter(const std::vector<double>& sorted) {
  const size_t n = sorted.size();
  if (n < 3) return std::nullopt;
  // Three speeds are divided twice, where so many values bear it.
  const size_t most_cuts = std::clamp<size_t>(n / 3, 1, 3);
  std::vector<std::pair<double, size_t>> gaps;
  for (size_t i = 1; i < n; ++i) gaps.emplace_back(sorted[i - 1] - sorted[i], i);
  std::sort(gaps.begin(), gaps.end(), std::greater<>());
  std::set<size_t> cuts{n};
  for (size_t i = 0; i < most_cuts; ++i) cuts.insert(gaps[i].second);
  double squares = 0;
  size_t begin = 0;
  for (const size_t end : cuts) {
    double sum = 0;
    for (size_t i = begin; i < end; ++i) sum += sorted[i];
    const double mean = sum / static_cast<double>(end - begin);
    for (size_t i = begin; i < end; ++i) squares += (sorted[i] - mean) * (sorted[i] - mean);
    begin = end;
  }
  return std::sqrt(squares / static_cast<double>(n - cuts.size()));
}

}  // namespace

std::vector<std::optional<double>> FasterSpeeds(std::span<const std::vector<double>> of_slots,
                                                double differs) {
  std::vector<std::vector<double>> sorted(of_slots.begin(), of_slots.end());
  std::vector<double> scatters;
  for (std::vector<double>& values : sorted) {
    std::sort(values.begin(), values.end(), std::greater<>());
    if (const auto scatter = Scatter(values)) scatters.push_back(*scatter);
  }
  std::vector<std::optional<double>> faster(sorted.size());
  if (scatters.empty()) return faster;
  const double least_gap = std::max(differs, kGapOfNoise * MedianInPlace(scatters));
  for (size_t slot = 0; slot < sorted.size(); ++slot) {
    const std::vector<double>& values = sorted[slot];
    const size_t least = (values.size() + 7) / 8;
    for (size_t fast = std::max<size_t>(least, 1); 2 * fast <= values.size(); ++fast) {
      if (values[fast - 1] - values[fast] <= least_gap) continue;
      faster[slot] = values[fast - 1];
      break;
    }
  }
  return faster;
}

}  // namespace railgauge
