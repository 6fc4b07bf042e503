// The ratio of two throughputs that were measured in turn, round by round.
//
// What both feel alike in a round (the host's load, a neighbour on the network, clock speed)
// cancels in the round's ratio; the median over rounds then ignores a few bad ones.
#ifndef RAILGAUGE_LIB_STATS_PAIRED_RATIO_H_
#define RAILGAUGE_LIB_STATS_PAIRED_RATIO_H_

#include <cstddef>
#include <optional>
#include <span>

#include "lib/stats/median_interval.h"

namespace railgauge {

struct PairedRound {
  double numerator = 0;
  double denominator = 0;
};

struct PairedRatio {
  double ratio = 0;   // the median of the rounds' ratios
  size_t rounds = 0;  // that it rests on
  // Of that median; empty when the rounds are too few for the confidence that was asked for.
  std::optional<MedianInterval> interval;
  // The median is not below this with PairedOptions::clearance; empty as above.
  std::optional<double> not_below;
  // Sign test: the chance of at least so many rounds below 1 if the true median is 1 or more. A
  // round of exactly 1 counts as not below.
  double p_value = 1;
};

struct PairedOptions {
  double confidence = 0.99;  // of the interval, two-sided
  double clearance = 0.95;   // of not_below, one-sided
};

// Rounds whose denominator is not above zero, or with a value that is not finite, are left out.
// Empty when none remains.
std::optional<PairedRatio> ComparePaired(std::span<const PairedRound> rounds,
                                         const PairedOptions& options = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_STATS_PAIRED_RATIO_H_
