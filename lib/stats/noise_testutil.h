// NoisyWindows: throughputs as a real machine might give them, from a seed, for the simulations
// that prove the statistics. The generator and the shapes are fixed here, because those of
// <random>'s distributions differ between libraries.
#ifndef RAILGAUGE_LIB_STATS_NOISE_TESTUTIL_H_
#define RAILGAUGE_LIB_STATS_NOISE_TESTUTIL_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "lib/stats/paired_ratio.h"

namespace railgauge {

enum class NoiseShape {
  kNormal,
  kLognormal,  // the loss of a window is lognormal: a long tail of slow ones
  kStudent,    // of three degrees of freedom: far outliers on both sides
  kSpoiled,    // normal, and one window in a hundred gives 30 % less
  kDrift,  // normal, while the machine slows down by a third in fifteen rounds, both sides alike
};
inline constexpr NoiseShape kNoiseShapes[] = {NoiseShape::kNormal, NoiseShape::kLognormal,
                                              NoiseShape::kStudent, NoiseShape::kSpoiled,
                                              NoiseShape::kDrift};
std::string_view ToString(NoiseShape shape);

class NoisyWindows {
 public:
  // `deviation` is the relative standard deviation of a window (before it is spoiled or drifts).
  NoisyWindows(NoiseShape shape, double deviation, uint64_t seed)
      : shape_(shape), deviation_(deviation), generator_(seed) {}

  // The throughput of one window of a path of speed 1: its median is 1.
  double Window();

  // Rounds 1…count of a path of speed `ratio` against one of speed 1, in random order within each.
  std::vector<PairedRound> Rounds(size_t count, double ratio);

  // Evenly between 0 and 1, neither of them.
  double Uniform();

 private:
  double Normal();

  const NoiseShape shape_;
  const double deviation_;
  std::mt19937_64 generator_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_STATS_NOISE_TESTUTIL_H_
