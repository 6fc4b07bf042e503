// The unit in which a person reads a rate.
#ifndef RAILGAUGE_LIB_BASE_RATE_UNIT_H_
#define RAILGAUGE_LIB_BASE_RATE_UNIT_H_

#include <string_view>

#include "lib/base/units.h"

namespace railgauge {

struct RateUnit {
  std::string_view name;  // "GB/s", "MB/s", "kB/s", "B/s"
  double factor = 1;      // bytes per second
};

// The largest decimal one that `rate` is at least 1 of. Of zero, GB/s.
RateUnit UnitFor(BytesPerSecond rate);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_BASE_RATE_UNIT_H_
