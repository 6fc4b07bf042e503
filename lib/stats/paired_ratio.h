// The ratio of two throughputs that were measured in turn, round by round.
//
// What both feel alike in a round (the host's load, a neighbour on the network, clock speed)
// cancels in the round's ratio; the median over rounds then ignores a few bad ones.
#ifndef RAILGAUGE_LIB_STATS_PAIRED_RATIO_H_
#define RAILGAUGE_LIB_STATS_PAIRED_RATIO_H_

#include <cstddef>
#include <optional>
#include <span>

#include "lib/stats/bootstrap.h"

namespace railgauge {

struct PairedRound {
  double numerator = 0;
  double denominator = 0;
};

struct PairedRatio {
  double ratio = 0;   // the median of the rounds' ratios
  Interval interval;  // of that median
  size_t rounds = 0;  // that it rests on
};

// Rounds whose denominator is not above zero, or with a value that is not finite, are left out.
// Empty when fewer than two rounds remain.
std::optional<PairedRatio> ComparePaired(std::span<const PairedRound> rounds,
                                         const BootstrapOptions& options = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_STATS_PAIRED_RATIO_H_
