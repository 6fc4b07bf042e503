#include "lib/emulator/device/catch_up.h"

#include <gtest/gtest.h>

namespace railgauge::efa {
namespace {

constexpr SimTime kMicrosecond = 1'000'000;

TEST(CatchUpTest, OnTimeIsNow) {
  CatchUp catch_up;
  EXPECT_EQ(catch_up.PostedAt(5 * kMicrosecond, 0), 5 * kMicrosecond);
  catch_up.OnCompleted(10 * kMicrosecond, 10 * kMicrosecond);
  EXPECT_EQ(catch_up.PostedAt(11 * kMicrosecond, 0), 11 * kMicrosecond);
}

TEST(CatchUpTest, ADelayShiftsWhatFollows) {
  CatchUp catch_up;
  catch_up.OnCompleted(100 * kMicrosecond, 150 * kMicrosecond);
  EXPECT_EQ(catch_up.PostedAt(151 * kMicrosecond, 0), 101 * kMicrosecond);
  catch_up.OnCompleted(200 * kMicrosecond, 200 * kMicrosecond);
  EXPECT_EQ(catch_up.PostedAt(201 * kMicrosecond, 0), 201 * kMicrosecond);
}

TEST(CatchUpTest, AnOverduePollerIsADelayToo) {
  CatchUp catch_up;
  catch_up.OnCompleted(100 * kMicrosecond, 100 * kMicrosecond);
  EXPECT_EQ(catch_up.PostedAt(700 * kMicrosecond, 500 * kMicrosecond), 200 * kMicrosecond);
  // The application paused before the poller was late.
  EXPECT_EQ(catch_up.PostedAt(3000 * kMicrosecond, 1000 * kMicrosecond), 3000 * kMicrosecond);
  EXPECT_EQ(catch_up.PostedAt(9000 * kMicrosecond, 8800 * kMicrosecond),
            9000 * kMicrosecond - CatchUp::kMost);
}

TEST(CatchUpTest, IsBoundedAndEndsWithAPause) {
  CatchUp catch_up;
  const SimTime late = 1'000'000 * kMicrosecond;
  catch_up.OnCompleted(0, late);
  EXPECT_EQ(catch_up.PostedAt(late, 0), late - CatchUp::kMost);
  EXPECT_EQ(catch_up.PostedAt(late + CatchUp::kPause + 1, 0), late + CatchUp::kPause + 1);
}

}  // namespace
}  // namespace railgauge::efa
