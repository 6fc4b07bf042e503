// RateLimiter: one shared resource of the emulated machine (a NIC's line, a switch uplink, …).
//
// First come, first served: a reservation begins when the earlier ones are through, so that the sum
// of all flows never exceeds the capacity and an idle resource costs only the bytes' own time.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_RATE_LIMITER_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_RATE_LIMITER_H_

#include <cstdint>

#include "lib/base/units.h"
#include "lib/emulator/device/sim_time.h"

namespace railgauge::efa {

class RateLimiter {
 public:
  // `capacity` must be above 0.
  explicit RateLimiter(BytesPerSecond capacity);

  // When `bytes` that arrive at `now` have passed.
  SimTime Reserve(SimTime now, uint64_t bytes);

 private:
  double picoseconds_per_byte_;
  SimTime free_at_ = 0;
  // Parts of a picosecond that earlier reservations are owed: without it small messages on a fast
  // resource would be rounded up or down every time.
  double carry_ = 0;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_RATE_LIMITER_H_
