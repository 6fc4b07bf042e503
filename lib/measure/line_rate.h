// The most that the line rate of an EFA NIC can be, above which nothing can be measured: what AWS
// publishes for the instance type (lib/instance_types), or what its port reports. Pure.
#ifndef RAILGAUGE_LIB_MEASURE_LINE_RATE_H_
#define RAILGAUGE_LIB_MEASURE_LINE_RATE_H_

#include <optional>
#include <string_view>

#include "lib/base/units.h"

namespace railgauge {

// A port reports one of InfiniBand's codes, of which the driver takes the next below the line rate
// (amzn-drivers, efa_link_gbps_to_speed_and_width): the rate itself is less than twice as much, and
// above the largest code, 400 Gb/s, anything. A ceiling that is too low would call good windows
// impossible. So: of a type that is known the larger of its rate and the port's, since a newer NIC
// may be in it; else twice the port's; empty when that is no bound.
std::optional<BytesPerSecond> LineRate(std::string_view instance_type,
                                       std::optional<double> port_gigabits_per_second);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_LINE_RATE_H_
