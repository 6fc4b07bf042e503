// Whether one set of windows spreads more than others that should spread alike.
#ifndef RAILGAUGE_LIB_STATS_SPREAD_H_
#define RAILGAUGE_LIB_STATS_SPREAD_H_

#include <span>
#include <vector>

namespace railgauge {

// How far each value lies from their median, as a share of it. Empty when the median is not above
// zero.
std::vector<double> RelativeDeviations(std::span<const double> values);

// The chance that deviations of one kind rank so high among those of `others` (Wilcoxon's rank sum,
// one-sided, by its normal approximation with midranks for ties). By ranks, so that one spoiled
// window weighs no more than the next. 1 when either is empty.
double WiderSpreadPValue(std::span<const double> deviations, std::span<const double> others);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_STATS_SPREAD_H_
