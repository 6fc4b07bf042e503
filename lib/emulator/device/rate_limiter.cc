#include "lib/emulator/device/rate_limiter.h"

#include <cmath>

#include "lib/base/result.h"

namespace railgauge::efa {

RateLimiter::RateLimiter(BytesPerSecond capacity) : picoseconds_per_byte_(1e12 / capacity.value) {
  RAILGAUGE_CHECK(capacity.value > 0 && std::isfinite(capacity.value));
}

SimTime RateLimiter::Reserve(SimTime now, uint64_t bytes) {
  if (free_at_ < now) {
    free_at_ = now;
    carry_ = 0;
  }
  const double duration = static_cast<double>(bytes) * picoseconds_per_byte_ + carry_;
  const double whole = std::floor(duration);
  carry_ = duration - whole;
  free_at_ += static_cast<SimTime>(whole);
  return free_at_;
}

}  // namespace railgauge::efa
