// Percentile bootstrap interval of a median: how far the median could move if the same measurement
// were repeated, with no assumption about the distribution of the windows.
//
// Deterministic: the same values and options give the same interval on every machine (the generator
// and the drawing of indexes are fixed here; those of <random>'s distributions differ between
// libraries). It is too narrow for few values: a nominal 99 % interval of 9
// or 15 values covers the true median in about 96 % of cases (bootstrap_test.cc simulates it; for 9
// it is the second smallest to the second largest value, which covers 1 - 20/512).
#ifndef RAILGAUGE_LIB_STATS_BOOTSTRAP_H_
#define RAILGAUGE_LIB_STATS_BOOTSTRAP_H_

#include <cstdint>
#include <optional>
#include <span>

namespace railgauge {

struct Interval {
  double low = 0;
  double high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

struct BootstrapOptions {
  double confidence = 0.99;  // between 0 and 1
  uint32_t resamples = 2000;
  uint64_t seed = 1;
};

// Empty for fewer than two values, which say nothing about their spread. No NaN among the values.
std::optional<Interval> BootstrapMedian(std::span<const double> values,
                                        const BootstrapOptions& options = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_STATS_BOOTSTRAP_H_
