#include "lib/stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "lib/base/result.h"
#include "lib/stats/median.h"

namespace railgauge {

std::optional<Interval> BootstrapMedian(std::span<const double> values,
                                        const BootstrapOptions& options) {
  RAILGAUGE_CHECK(options.confidence > 0 && options.confidence < 1 && options.resamples > 0);
  if (values.size() < 2) return std::nullopt;
  std::mt19937_64 generator(options.seed);
  // The high 32 bits, scaled to the number of values; its bias is below values.size() / 2^32.
  const auto draw = [&] {
    return static_cast<size_t>(((generator() >> 32) * uint64_t{values.size()}) >> 32);
  };
  std::vector<double> resample(values.size());
  std::vector<double> medians(options.resamples);
  for (double& median : medians) {
    for (double& value : resample) value = values[draw()];
    median = MedianInPlace(resample);
  }
  std::sort(medians.begin(), medians.end());
  const double tail = (1 - options.confidence) / 2;
  const auto skipped =
      static_cast<size_t>(std::floor(tail * static_cast<double>(options.resamples)));
  return Interval{medians[skipped], medians[medians.size() - 1 - skipped]};
}

}  // namespace railgauge
