#include "lib/measure/line_rate.h"

#include <algorithm>
#include <iterator>

namespace railgauge {
namespace {

struct TypeRate {
  std::string_view instance_type;
  double gigabits_per_second;  // of each EFA NIC
};

// AWS's network specifications of the accelerated instance types: bandwidth over number of NICs.
constexpr TypeRate kTypeRates[] = {
    {"c5n.18xlarge", 100},     {"p3dn.24xlarge", 100}, {"g5.48xlarge", 100},
    {"g6.48xlarge", 100},      {"p4d.24xlarge", 100},  {"p4de.24xlarge", 100},
    {"p5.48xlarge", 100},      {"p5en.48xlarge", 200}, {"p6-b200.48xlarge", 400},
    {"p6-b300.48xlarge", 400}, {"trn1.32xlarge", 100}, {"trn1n.32xlarge", 100},
    {"trn2.48xlarge", 200},
};

constexpr double kLargestCode = 400;

BytesPerSecond Rate(double gigabits_per_second) { return {gigabits_per_second * 1e9 / 8}; }

}  // namespace

std::optional<BytesPerSecond> LineRate(std::string_view instance_type,
                                       std::optional<double> port_gigabits_per_second) {
  const double port = port_gigabits_per_second.value_or(0);
  const auto* const type =
      std::find_if(std::begin(kTypeRates), std::end(kTypeRates),
                   [&](const TypeRate& rate) { return rate.instance_type == instance_type; });
  if (type != std::end(kTypeRates)) return Rate(std::max(port, type->gigabits_per_second));
  if (port <= 0 || port >= kLargestCode) return std::nullopt;
  return Rate(2 * port);
}

}  // namespace railgauge
