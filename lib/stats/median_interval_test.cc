#include "lib/stats/median_interval.h"

#include <cstdio>
#include <vector>

#include "gtest/gtest.h"
#include "lib/stats/noise_testutil.h"

namespace railgauge {
namespace {

using Values = std::vector<double>;

Values OneTo(int count) {
  Values values;
  for (int i = count; i >= 1; --i) values.push_back(i);
  return values;
}

TEST(MedianIntervalTest, KnownOrderStatistics) {
  const auto nine = IntervalOfMedian(OneTo(9));
  ASSERT_TRUE(nine);
  EXPECT_EQ(nine->interval, (Interval{1, 9}));
  EXPECT_NEAR(nine->confidence, 1 - 2.0 / 512, 1e-12);
  const auto fifteen = IntervalOfMedian(OneTo(15));
  EXPECT_EQ(fifteen->interval, (Interval{3, 13}));
  EXPECT_NEAR(fifteen->confidence, 1 - 2 * (1 + 15 + 105) / 32768.0, 1e-12);
  EXPECT_EQ(IntervalOfMedian(OneTo(9), 0.95)->interval, (Interval{2, 8}));
  EXPECT_EQ(IntervalOfMedian(OneTo(8))->interval, (Interval{1, 8}));
  EXPECT_EQ(IntervalOfMedian(OneTo(2), 0.5)->interval, (Interval{1, 2}));
}

TEST(MedianIntervalTest, TooFewValuesHaveNone) {
  for (int count = 0; count < 8; ++count) EXPECT_FALSE(IntervalOfMedian(OneTo(count))) << count;
  EXPECT_FALSE(IntervalOfMedian(OneTo(1), 0.01));
}

TEST(MedianIntervalTest, OfFifteenTwoMayBeBad) {
  Values values(15, 10);
  values[3] = 2;
  values[7] = 50;
  EXPECT_EQ(IntervalOfMedian(values)->interval, (Interval{10, 10}));
}

TEST(MedianIntervalTest, OneSided) {
  EXPECT_EQ(MedianNotBelow(OneTo(9), 0.95), 2);
  EXPECT_EQ(MedianNotBelow(OneTo(15), 0.95), 4);
  EXPECT_EQ(MedianNotBelow(OneTo(5), 0.95), 1);
  EXPECT_FALSE(MedianNotBelow(OneTo(4), 0.95));
  EXPECT_FALSE(MedianNotBelow(Values{}, 0.95));
}

// The confidence that is stated is the share of intervals that hold the true median, whatever the
// noise: within four standard errors of 20,000 trials.
TEST(MedianIntervalTest, ItsConfidenceIsItsCoverage) {
  constexpr int kTrials = 20'000;
  for (const NoiseShape shape :
       {NoiseShape::kNormal, NoiseShape::kLognormal, NoiseShape::kSpoiled}) {
    for (const size_t count : {size_t{8}, size_t{9}, size_t{15}, size_t{16}}) {
      NoisyWindows windows(shape, 0.05, 3);
      int covered = 0;
      double confidence = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        Values ratios;
        for (const PairedRound& round : windows.Rounds(count, 1)) {
          ratios.push_back(round.numerator / round.denominator);
        }
        const auto found = IntervalOfMedian(ratios);
        confidence = found->confidence;
        covered += found->interval.low <= 1 && 1 <= found->interval.high ? 1 : 0;
      }
      const double coverage = covered / double{kTrials};
      std::printf("%zu values: stated %.4f, covered %.4f\n", count, confidence, coverage);
      EXPECT_GE(confidence, 0.99);
      EXPECT_NEAR(coverage, confidence, 4 * 0.0007);
    }
  }
}

}  // namespace
}  // namespace railgauge
