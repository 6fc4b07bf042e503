// SimTime: the fabric's clock, picoseconds since the fabric was made.
//
// Nanoseconds are too coarse: 64 bytes at 100 GB/s take 640 ps, and rounding each reservation to a
// nanosecond would bend a rate by more than the tests allow. 63 bits hold 106 days.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_SIM_TIME_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_SIM_TIME_H_

#include <cstdint>
#include <limits>

#include "lib/base/units.h"

namespace railgauge::efa {

using SimTime = int64_t;

inline constexpr SimTime kPicosecondsPerNanosecond = 1000;
inline constexpr SimTime kNever = std::numeric_limits<SimTime>::max();

constexpr SimTime ToSimTime(Nanoseconds duration) {
  return duration.count() * kPicosecondsPerNanosecond;
}

// Rounded up, so that what is due at `time` is due when a clock of nanoseconds shows the result.
constexpr Nanoseconds ToNanoseconds(SimTime time) {
  return Nanoseconds((time + kPicosecondsPerNanosecond - 1) / kPicosecondsPerNanosecond);
}

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_SIM_TIME_H_
