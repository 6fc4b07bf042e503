#include "lib/stats/bootstrap.h"

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

using Values = std::vector<double>;

TEST(BootstrapTest, TooFewValuesSayNothing) {
  EXPECT_EQ(BootstrapMedian(Values{}), std::nullopt);
  EXPECT_EQ(BootstrapMedian(Values{5}), std::nullopt);
}

TEST(BootstrapTest, EqualValuesGiveAPoint) {
  EXPECT_EQ(BootstrapMedian(Values{5, 5, 5}), (Interval{5, 5}));
  EXPECT_EQ(BootstrapMedian(Values{0, 0}), (Interval{0, 0}));
}

TEST(BootstrapTest, IsAboutTheMedianAndAmongTheValues) {
  const Values values = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto interval = BootstrapMedian(values);
  ASSERT_TRUE(interval);
  // P(a resample's median is the smallest value) is 0.0014 and that it is one of the two smallest
  // 0.029, so the 0.5 % quantile is the second smallest; and so at the other end.
  EXPECT_EQ(*interval, (Interval{2, 8}));
  const auto narrower = BootstrapMedian(values, {.confidence = 0.5});
  EXPECT_GT(narrower->low, interval->low);
  EXPECT_LT(narrower->high, interval->high);
}

TEST(BootstrapTest, OneHiccupDoesNotWidenIt) {
  EXPECT_EQ(BootstrapMedian(Values{10, 10, 10, 10, 10, 10, 10, 10, 2}), (Interval{10, 10}));
}

TEST(BootstrapTest, IsDeterministic) {
  const Values values = {1.5, 2.25, 9, 4, 4.5, 7.125, 3};
  EXPECT_EQ(BootstrapMedian(values, {.seed = 3}), BootstrapMedian(values, {.seed = 3}));
  // Few resamples, so that the seed matters: these figures are the same on every machine.
  const auto interval = BootstrapMedian(values, {.confidence = 0.8, .resamples = 11, .seed = 3});
  ASSERT_TRUE(interval);
  EXPECT_LE(interval->low, 4);
  EXPECT_GE(interval->high, 4);
}

// The share of intervals that hold the true median, over values with normal noise.
double Coverage(size_t count, int trials) {
  std::mt19937_64 generator(20240501);
  std::normal_distribution<double> noise(100, 3);
  int covered = 0;
  for (int trial = 0; trial < trials; ++trial) {
    Values values(count);
    for (double& value : values) value = noise(generator);
    const auto interval = BootstrapMedian(values, {.resamples = 400});
    covered += interval->low <= 100 && 100 <= interval->high ? 1 : 0;
  }
  return covered / static_cast<double>(trials);
}

TEST(BootstrapTest, CoversAsTheHeaderSays) {
  for (const size_t count : {size_t{9}, size_t{15}}) {
    const double coverage = Coverage(count, 400);
    std::printf("coverage of a nominal 99%% interval of %zu values: %.3f\n", count, coverage);
    EXPECT_GT(coverage, 0.93);
    EXPECT_LT(coverage, 0.99);
  }
}

}  // namespace
}  // namespace railgauge
