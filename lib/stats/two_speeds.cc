#include "lib/stats/two_speeds.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lib/stats/median.h"

namespace railgauge {
namespace {

constexpr size_t kFewest = 3;

// How many of the ascending values belong to the lower of two groups: the cut that leaves the least
// sum of squares about the groups' means, which is the one with the greatest sum of count · mean².
size_t BestCut(const std::vector<double>& sorted) {
  double total = 0;
  for (const double value : sorted) total += value;
  size_t best = kFewest;
  double best_score = -1, below = 0;
  for (size_t cut = 1; cut + kFewest <= sorted.size(); ++cut) {
    below += sorted[cut - 1];
    if (cut < kFewest) continue;
    const double above = total - below;
    const double score = below * below / static_cast<double>(cut) +
                         above * above / static_cast<double>(sorted.size() - cut);
    if (score <= best_score) continue;
    best_score = score;
    best = cut;
  }
  return best;
}

}  // namespace

std::optional<TwoSpeeds> FindTwoSpeeds(std::span<const double> values, double gap, DipTest& test) {
  if (values.size() < 2 * kFewest) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const size_t cut = BestCut(sorted);
  TwoSpeeds speeds;
  speeds.low = *Median(std::span(sorted).first(cut));
  speeds.high = *Median(std::span(sorted).subspan(cut));
  speeds.low_count = cut;
  speeds.count = sorted.size();
  if (!(speeds.low < (1 - gap) * speeds.high)) return std::nullopt;
  speeds.p_value = test.PValue(Dip(sorted), sorted.size());
  return speeds;
}

}  // namespace railgauge
