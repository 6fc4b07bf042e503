#include "lib/stats/interval_candidates_testutil.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "lib/stats/distributions.h"
#include "lib/stats/median.h"

namespace railgauge {
namespace {

constexpr double kTail = 0.005;
constexpr size_t kResamples = 2000;

std::vector<double> MediansOfResamples(std::span<const double> values) {
  std::mt19937_64 generator(1);
  std::vector<double> resample(values.size());
  std::vector<double> medians(kResamples);
  for (double& median : medians) {
    for (double& value : resample) value = values[generator() % values.size()];
    median = MedianInPlace(resample);
  }
  std::sort(medians.begin(), medians.end());
  return medians;
}

Interval At(const std::vector<double>& sorted, double low, double high) {
  const auto last = static_cast<double>(sorted.size() - 1);
  const auto at = [&](double share) {
    return sorted[static_cast<size_t>(std::lround(share * last))];
  };
  return {at(low), at(high)};
}

Interval OrderStatistics(std::span<const double> values) {
  return IntervalOfMedian(values, 1 - 2 * kTail)->interval;
}

Interval PercentileBootstrap(std::span<const double> values) {
  return At(MediansOfResamples(values), kTail, 1 - kTail);
}

// Bias-corrected, with the acceleration of the jackknife.
Interval AcceleratedBootstrap(std::span<const double> values) {
  const std::vector<double> medians = MediansOfResamples(values);
  const double median = *Median(values);
  const auto below = std::lower_bound(medians.begin(), medians.end(), median) - medians.begin();
  const auto up_to = std::upper_bound(medians.begin(), medians.end(), median) - medians.begin();
  const double share = static_cast<double>(below + up_to) / 2 / kResamples;
  const double bias = NormalQuantile(std::clamp(share, 0.5 / kResamples, 1 - 0.5 / kResamples));
  std::vector<double> without;
  for (size_t i = 0; i < values.size(); ++i) {
    std::vector<double> others(values.begin(), values.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    without.push_back(MedianInPlace(others));
  }
  double mean = 0, squares = 0, cubes = 0;
  for (const double value : without) mean += value / static_cast<double>(without.size());
  for (const double value : without) {
    squares += std::pow(mean - value, 2);
    cubes += std::pow(mean - value, 3);
  }
  const double acceleration = squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
  const auto corrected = [&](double tail) {
    const double z = bias + NormalQuantile(tail);
    return NormalBelow(bias + z / (1 - acceleration * z));
  };
  return At(medians, corrected(kTail), corrected(1 - kTail));
}

// Student's interval of the mean of the logarithms.
Interval StudentOfLogs(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double value : values) mean += std::log(value) / count;
  for (const double value : values) squares += std::pow(std::log(value) - mean, 2);
  const double half =
      StudentQuantile(1 - kTail, count - 1) * std::sqrt(squares / (count - 1) / count);
  return {std::exp(mean - half), std::exp(mean + half)};
}

// From the k-th smallest to the k-th largest mean of two, by Wilcoxon's signed ranks.
Interval SignedRanks(std::span<const double> values) {
  std::vector<double> means;
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = i; j < values.size(); ++j) means.push_back((values[i] + values[j]) / 2);
  }
  std::sort(means.begin(), means.end());
  // ways[s]: of the subsets of the ranks 1…n, how many have the sum s.
  std::vector<double> ways(means.size() + 1);
  ways[0] = 1;
  for (size_t rank = 1; rank <= values.size(); ++rank) {
    for (size_t sum = ways.size(); sum-- > rank;) ways[sum] += ways[sum - rank];
  }
  size_t left_out = 0;
  const double all = std::pow(2.0, static_cast<double>(values.size()));
  for (double sum = ways[0]; (sum += ways[left_out + 1]) / all <= kTail;) ++left_out;
  return {means[left_out], means[means.size() - 1 - left_out]};
}

constexpr IntervalCandidate kCandidates[] = {
    {"order statistics", OrderStatistics},
    {"percentile bootstrap", PercentileBootstrap, true},
    {"BCa bootstrap", AcceleratedBootstrap, true},
    {"Student of logarithms", StudentOfLogs},
    {"signed ranks", SignedRanks},
};

}  // namespace

std::span<const IntervalCandidate> IntervalCandidates() { return kCandidates; }

}  // namespace railgauge
