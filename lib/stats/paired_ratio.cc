#include "lib/stats/paired_ratio.h"

#include <cmath>
#include <vector>

#include "lib/stats/median.h"

namespace railgauge {

std::optional<PairedRatio> ComparePaired(std::span<const PairedRound> rounds,
                                         const BootstrapOptions& options) {
  std::vector<double> ratios;
  for (const PairedRound& round : rounds) {
    if (!(round.denominator > 0)) continue;
    const double ratio = round.numerator / round.denominator;
    if (std::isfinite(ratio)) ratios.push_back(ratio);
  }
  const std::optional<Interval> interval = BootstrapMedian(ratios, options);
  if (!interval) return std::nullopt;
  return PairedRatio{*Median(ratios), *interval, ratios.size()};
}

}  // namespace railgauge
