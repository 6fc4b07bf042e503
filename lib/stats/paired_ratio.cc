#include "lib/stats/paired_ratio.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lib/stats/distributions.h"
#include "lib/stats/median.h"

namespace railgauge {

std::optional<PairedRatio> ComparePaired(std::span<const PairedRound> rounds,
                                         const PairedOptions& options) {
  std::vector<double> ratios;
  for (const PairedRound& round : rounds) {
    if (!(round.denominator > 0)) continue;
    const double ratio = round.numerator / round.denominator;
    if (std::isfinite(ratio)) ratios.push_back(ratio);
  }
  if (ratios.empty()) return std::nullopt;
  const auto not_below_one =
      std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return ratio >= 1; });
  PairedRatio result;
  result.ratio = *Median(ratios);
  result.rounds = ratios.size();
  result.interval = IntervalOfMedian(ratios, options.confidence);
  result.not_below = MedianNotBelow(ratios, options.clearance);
  result.p_value = CoinAtMost(static_cast<size_t>(not_below_one), ratios.size());
  return result;
}

}  // namespace railgauge
