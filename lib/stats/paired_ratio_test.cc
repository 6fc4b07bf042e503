#include "lib/stats/paired_ratio.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "lib/stats/noise_testutil.h"

namespace railgauge {
namespace {

using Rounds = std::vector<PairedRound>;

TEST(PairedRatioTest, KnownValues) {
  EXPECT_FALSE(ComparePaired(Rounds{}));
  const auto one = ComparePaired(Rounds{{1, 2}});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->ratio, 0.5);
  EXPECT_EQ(one->p_value, 0.5);
  EXPECT_FALSE(one->interval || one->not_below);
  const auto half = ComparePaired(Rounds(9, {2, 4}));
  ASSERT_TRUE(half && half->interval);
  EXPECT_EQ(half->ratio, 0.5);
  EXPECT_EQ(half->interval->interval, (Interval{0.5, 0.5}));
  EXPECT_EQ(half->not_below, 0.5);
  EXPECT_EQ(half->rounds, 9u);
  EXPECT_NEAR(half->p_value, 1.0 / 512, 1e-15);
}

TEST(PairedRatioTest, FewRoundsHaveARatioAndNoInterval) {
  const auto seven = ComparePaired(Rounds(7, {1, 2}));
  ASSERT_TRUE(seven);
  EXPECT_EQ(seven->ratio, 0.5);
  EXPECT_FALSE(seven->interval);
  EXPECT_TRUE(ComparePaired(Rounds(8, {1, 2}))->interval);
}

TEST(PairedRatioTest, EqualRoundsAreNoSign) {
  EXPECT_EQ(ComparePaired(Rounds(9, {1, 1}))->p_value, 1);
  EXPECT_EQ(ComparePaired(Rounds(9, {2, 1}))->p_value, 1);
}

TEST(PairedRatioTest, LeavesOutRoundsWithoutARatio) {
  const double nan = std::nan("");
  const auto ratio = ComparePaired(
      Rounds{{1, 0}, {0, 0}, {nan, 1}, {1, nan}, {INFINITY, 1}, {1, -1}, {0, 1}, {0, 1}});
  ASSERT_TRUE(ratio);
  EXPECT_EQ(ratio->rounds, 2u);
  EXPECT_EQ(ratio->ratio, 0);
}

// What moves both sides of a round cancels: the machine slows down by a third during the run.
TEST(PairedRatioTest, CancelsDrift) {
  NoisyWindows windows(NoiseShape::kDrift, 0.005, 7);
  const auto ratio = ComparePaired(windows.Rounds(15, 0.9));
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->ratio, 0.9, 0.015);
  EXPECT_LT(ratio->interval->interval.high, 0.94);
  EXPECT_GT(ratio->interval->interval.low, 0.86);
}

// Between equal sides, p-values are no smaller than they say, whatever the noise.
TEST(PairedRatioTest, EqualSidesHaveFairPValues) {
  constexpr int kTrials = 20'000;
  for (const NoiseShape shape : kNoiseShapes) {
    NoisyWindows windows(shape, 0.02, 11);
    int below_20_of_512 = 0, least = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      const double p = ComparePaired(windows.Rounds(9, 1))->p_value;
      least += p < 1.5 / 512 ? 1 : 0;
      below_20_of_512 += p < 20.0 / 512 ? 1 : 0;
    }
    EXPECT_LT(least, kTrials * (1.0 / 512 + 4 * 0.00032)) << ToString(shape);
    EXPECT_LT(below_20_of_512, kTrials * (10.0 / 512 + 4 * 0.001)) << ToString(shape);
    EXPECT_GT(below_20_of_512, kTrials * (10.0 / 512 - 4 * 0.001)) << ToString(shape);
  }
}

}  // namespace
}  // namespace railgauge
