#include "lib/stats/paired_ratio.h"

#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

using Rounds = std::vector<PairedRound>;

TEST(PairedRatioTest, KnownValues) {
  EXPECT_FALSE(ComparePaired(Rounds{}));
  EXPECT_FALSE(ComparePaired(Rounds{{1, 2}}));
  const auto half = ComparePaired(Rounds{{1, 2}, {2, 4}, {4, 8}});
  ASSERT_TRUE(half);
  EXPECT_EQ(half->ratio, 0.5);
  EXPECT_EQ(half->interval, (Interval{0.5, 0.5}));
  EXPECT_EQ(half->rounds, 3u);
}

TEST(PairedRatioTest, LeavesOutRoundsWithoutARatio) {
  const double nan = std::nan("");
  const auto ratio = ComparePaired(
      Rounds{{1, 0}, {0, 0}, {nan, 1}, {1, nan}, {INFINITY, 1}, {1, -1}, {0, 1}, {0, 1}});
  ASSERT_TRUE(ratio);
  EXPECT_EQ(ratio->rounds, 2u);
  EXPECT_EQ(ratio->ratio, 0);
}

// What moves both sides of a round cancels: the machine slows down to a third during the run.
TEST(PairedRatioTest, CancelsDrift) {
  std::mt19937_64 generator(7);
  std::normal_distribution<double> noise(1, 0.005);
  Rounds rounds;
  for (int i = 0; i < 9; ++i) {
    const double speed = 12.5e9 * (1 - i / 12.0);
    rounds.push_back({0.9 * speed * noise(generator), speed * noise(generator)});
  }
  const auto ratio = ComparePaired(rounds);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->ratio, 0.9, 0.01);
  EXPECT_LT(ratio->interval.high, 0.93);
  EXPECT_GT(ratio->interval.low, 0.87);
}

// Two equal sides: "smaller, and the whole interval below 1" must be rare.
TEST(PairedRatioTest, SeldomTellsEqualSidesApart) {
  std::mt19937_64 generator(11);
  std::normal_distribution<double> noise(1, 0.02);
  int told_apart = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Rounds rounds(9);
    for (PairedRound& round : rounds) round = {noise(generator), noise(generator)};
    told_apart += ComparePaired(rounds, {.resamples = 300})->interval.high < 1 ? 1 : 0;
  }
  EXPECT_LT(told_apart, 300 * 0.045);  // about 2 % expected on this side
}

}  // namespace
}  // namespace railgauge
