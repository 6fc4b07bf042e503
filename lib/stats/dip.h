// The dip of a sample (Hartigan and Hartigan, 1985): how far its distribution is from having one
// mode, as the largest distance to the nearest distribution that has one. It asks nothing of the
// shape: one long tail is still one mode, and a few spoiled windows are a tail.
#ifndef RAILGAUGE_LIB_STATS_DIP_H_
#define RAILGAUGE_LIB_STATS_DIP_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace railgauge {

// Of ascending values, at least one, no NaN: from 1/2n (evenly spaced) to 1/4 (two points).
double Dip(std::span<const double> sorted);

// How rare a dip is among samples of one mode. Its distribution has no formula, so it is simulated:
// uniform values, the one-mode distribution with the largest dips, from a fixed seed. That takes
// milliseconds, so the process keeps what was simulated, for a bounded number of sizes: a fleet is
// judged run by run, and its runs have cells of the same sizes.
class DipTest {
 public:
  explicit DipTest(uint64_t seed, size_t draws = 10'000) : seed_(seed), draws_(draws) {}

  // The share of simulated samples of `count` values whose dip is at least `dip`; the sample itself
  // counts as one, so that it is never 0.
  double PValue(double dip, size_t count) const;

 private:
  const uint64_t seed_;
  const size_t draws_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_STATS_DIP_H_
