#include "lib/measure/line_rate.h"

#include <algorithm>

#include "lib/instance_types/instance_types.h"

namespace railgauge {
namespace {

constexpr double kLargestCode = 400;

BytesPerSecond Rate(double gigabits_per_second) { return {gigabits_per_second * 1e9 / 8}; }

}  // namespace

std::optional<BytesPerSecond> LineRate(std::string_view instance_type,
                                       std::optional<double> port_gigabits_per_second) {
  const double port = port_gigabits_per_second.value_or(0);
  const InstanceType* type = FindInstanceType(instance_type);
  // An assumed rate may be too low.
  if (type != nullptr && type->line_rate && type->line_rate->certain()) {
    return std::max(Rate(port), type->line_rate->value);
  }
  if (port <= 0 || port >= kLargestCode) return std::nullopt;
  return Rate(2 * port);
}

}  // namespace railgauge
