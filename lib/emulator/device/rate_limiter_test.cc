#include "lib/emulator/device/rate_limiter.h"

#include <gtest/gtest.h>

namespace railgauge::efa {
namespace {

constexpr SimTime kSecond = 1'000'000'000'000;

TEST(RateLimiterTest, IdleResourceCostsTheBytesOwnTime) {
  RateLimiter limiter(BytesPerSecond{12.5e9});
  EXPECT_EQ(limiter.Reserve(1000, 4096), 1000 + 327'680);
  EXPECT_EQ(limiter.Reserve(kSecond, 4096), kSecond + 327'680);
}

TEST(RateLimiterTest, LaterReservationsWaitForEarlierOnes) {
  RateLimiter limiter(BytesPerSecond{1e12});  // a byte per picosecond
  EXPECT_EQ(limiter.Reserve(0, 100), 100);
  EXPECT_EQ(limiter.Reserve(50, 100), 200);
  EXPECT_EQ(limiter.Reserve(200, 0), 200);
  EXPECT_EQ(limiter.Reserve(300, 1), 301);
}

TEST(RateLimiterTest, RoundingDoesNotBendTheRate) {
  // 64 bytes at 700 GB/s are 91.43 ps: rounded one by one they would be 0.5 % off.
  RateLimiter limiter(BytesPerSecond{700e9});
  SimTime end = 0;
  constexpr int kMessages = 1'000'000;
  for (int i = 0; i < kMessages; ++i) end = limiter.Reserve(0, 64);
  EXPECT_NEAR(static_cast<double>(end), kMessages * 64.0 / 700e9 * 1e12, 2.0);
}

}  // namespace
}  // namespace railgauge::efa
