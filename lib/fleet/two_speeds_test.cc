#include "lib/fleet/two_speeds.h"

#include <gtest/gtest.h>

namespace railgauge {
namespace {

using Slots = std::vector<std::vector<double>>;
constexpr double kDiffers = 0.03;

std::optional<double> OfOne(const std::vector<double>& values) {
  const Slots slots{values, {0.001, -0.002, 0.002, -0.001}};
  return FasterSpeeds(slots, kDiffers)[0];
}

TEST(TwoSpeedsTest, HalvesHaveTwo) {
  EXPECT_EQ(OfOne({0.25, -0.25, -0.251, 0.249}), 0.249);
  EXPECT_EQ(OfOne({0.66, 0, 0.001, -0.001, 0, 0.661}), 0.66) << "the slower are more";
  EXPECT_EQ(OfOne({0, 0.001, -0.001, 0.66}), 0.66);
}

TEST(TwoSpeedsTest, AMinorityIsForTheScreenToFind) {
  EXPECT_FALSE(OfOne({0, 0.001, -0.4, 0.002}));
  EXPECT_FALSE(OfOne({0, 0.001, -0.4, -0.4, 0.002}));
  EXPECT_FALSE(OfOne({0, 0.001, -0.001, 0.002}));
  EXPECT_FALSE(OfOne({0, -0.02, 0.001, -0.02})) << "less than the margin";
}

TEST(TwoSpeedsTest, OfThreeTheFastestCounts) {
  EXPECT_EQ(OfOne({0.05, 0.051, -0.05, -0.051, -0.37, -0.371}), 0.05);
}

TEST(TwoSpeedsTest, OneOddRunOfManyIsNoSpeed) {
  std::vector<double> values(20, 0.0);
  values[7] = 0.2;
  EXPECT_FALSE(OfOne(values));
  values[8] = values[9] = 0.2;
  EXPECT_EQ(OfOne(values), 0.2);
}

TEST(TwoSpeedsTest, WhatNoiseMakesIsNone) {
  const Slots noisy{{0.1, 0.04, -0.04, -0.1}, {0.12, 0.03, -0.02, -0.09}, {0.08, 0.02, 0, -0.1}};
  for (const auto& faster : FasterSpeeds(noisy, kDiffers)) EXPECT_FALSE(faster);
  EXPECT_TRUE(FasterSpeeds({}, kDiffers).empty());
  EXPECT_FALSE(FasterSpeeds(Slots{{}, {1}, {1, 2}}, kDiffers)[2]);
}

}  // namespace
}  // namespace railgauge
