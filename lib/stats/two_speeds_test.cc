#include "lib/stats/two_speeds.h"

#include <vector>

#include "gtest/gtest.h"
#include "lib/stats/noise_testutil.h"

namespace railgauge {
namespace {

using Values = std::vector<double>;

// `low` windows of about 21 and the others of about 124.
Values TwoModes(NoisyWindows& windows, size_t low, size_t count) {
  Values values;
  for (size_t i = 0; i < count; ++i) values.push_back((i < low ? 21 : 124) * windows.Window());
  return values;
}

TEST(TwoSpeedsTest, NamesBoth) {
  DipTest test(1);
  NoisyWindows windows(NoiseShape::kNormal, 0.02, 4);
  for (const size_t count : {size_t{10}, size_t{16}, size_t{64}}) {
    for (const size_t low : {count / 2, count * 2 / 5}) {
      const auto speeds = FindTwoSpeeds(TwoModes(windows, low, count), 0.10, test);
      ASSERT_TRUE(speeds);
      EXPECT_NEAR(speeds->low, 21, 1);
      EXPECT_NEAR(speeds->high, 124, 5);
      EXPECT_EQ(speeds->low_count, low);
      EXPECT_EQ(speeds->count, count);
      EXPECT_LT(speeds->p_value, 0.002) << low << " of " << count;
    }
  }
}

TEST(TwoSpeedsTest, OneOrTwoBadWindowsAreNoSpeed) {
  DipTest test(1);
  NoisyWindows windows(NoiseShape::kNormal, 0.01, 4);
  for (const size_t bad : {size_t{1}, size_t{2}}) {
    const auto speeds = FindTwoSpeeds(TwoModes(windows, bad, 16), 0.10, test);
    EXPECT_TRUE(!speeds || speeds->p_value > 0.5) << bad;
  }
}

TEST(TwoSpeedsTest, NeitherFewValuesNorNearModes) {
  DipTest test(1);
  EXPECT_FALSE(FindTwoSpeeds(Values{}, 0.10, test));
  EXPECT_FALSE(FindTwoSpeeds(Values{1, 1, 9, 9, 9}, 0.10, test));
  EXPECT_FALSE(FindTwoSpeeds(Values{10, 10, 10, 10.5, 10.5, 10.5}, 0.10, test));
  EXPECT_FALSE(FindTwoSpeeds(Values(12, 0.0), 0.10, test));
}

TEST(TwoSpeedsTest, NoiseOfOneModeIsSeldomTwo) {
  DipTest test(1);
  for (const NoiseShape shape : kNoiseShapes) {
    NoisyWindows windows(shape, 0.05, 8);
    int found = 0;
    for (int trial = 0; trial < 5000; ++trial) {
      Values values(16);
      for (double& value : values) value = windows.Window();
      const auto speeds = FindTwoSpeeds(values, 0.10, test);
      found += speeds && speeds->p_value <= 0.01 ? 1 : 0;
    }
    EXPECT_LT(found, 50) << ToString(shape);
  }
}

}  // namespace
}  // namespace railgauge
