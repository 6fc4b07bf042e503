#include "lib/stats/distributions.h"

#include <cmath>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(DistributionsTest, CoinsAreCounted) {
  EXPECT_NEAR(CoinAtMost(0, 9), 1.0 / 512, 1e-15);
  EXPECT_NEAR(CoinAtMost(1, 9), 10.0 / 512, 1e-15);
  EXPECT_NEAR(CoinAtMost(2, 15), (1 + 15 + 105) / 32768.0, 1e-15);
  EXPECT_EQ(CoinAtMost(9, 9), 1);
  EXPECT_EQ(CoinAtMost(10, 9), 1);
  EXPECT_EQ(CoinAtMost(0, 0), 1);
}

TEST(DistributionsTest, NormalTable) {
  EXPECT_NEAR(NormalBelow(0), 0.5, 1e-15);
  EXPECT_NEAR(NormalBelow(-1.959963984540054), 0.025, 1e-12);
  EXPECT_NEAR(NormalQuantile(0.995), 2.575829303548901, 1e-12);
  EXPECT_EQ(NormalBelow(-INFINITY), 0);
  EXPECT_EQ(NormalBelow(INFINITY), 1);
}

TEST(DistributionsTest, StudentTable) {
  EXPECT_NEAR(StudentQuantile(0.995, 8), 3.355387331, 1e-8);
  EXPECT_NEAR(StudentQuantile(0.975, 1), 12.70620474, 1e-7);
  EXPECT_NEAR(StudentBelow(-2.306004135, 8), 0.025, 1e-9);
  EXPECT_NEAR(StudentBelow(StudentQuantile(0.001, 3.7), 3.7), 0.001, 1e-12);
  EXPECT_EQ(StudentBelow(-INFINITY, 1.6), 0);
  EXPECT_EQ(StudentBelow(INFINITY, 1.6), 1);
}

}  // namespace
}  // namespace railgauge
