#include "lib/stats/false_discovery.h"

#include <algorithm>
#include <utility>

namespace railgauge {

FalseDiscovery::FalseDiscovery(std::vector<double> p_values) : sorted_(std::move(p_values)) {
  std::sort(sorted_.begin(), sorted_.end());
  adjusted_.resize(sorted_.size());
  const auto count = static_cast<double>(sorted_.size());
  double least = 1;  // of the p-values from here on
  for (size_t i = sorted_.size(); i-- > 0;) {
    least = std::min(least, sorted_[i] * count / static_cast<double>(i + 1));
    adjusted_[i] = least;
  }
}

double FalseDiscovery::Adjusted(double p_value) const {
  const auto place = std::lower_bound(sorted_.begin(), sorted_.end(), p_value);
  if (place == sorted_.end()) return 1;
  return adjusted_[static_cast<size_t>(place - sorted_.begin())];
}

}  // namespace railgauge
