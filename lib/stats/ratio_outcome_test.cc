#include "lib/stats/ratio_outcome.h"

#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

// Rounds of the given ratios.
Outcome OutcomeOfRatios(const std::vector<double>& ratios) {
  std::vector<PairedRound> rounds;
  for (const double ratio : ratios) rounds.push_back({ratio, 1});
  return OutcomeOf(ComparePaired(rounds), OutcomeGates());
}

using Ratios = std::vector<double>;

TEST(RatioOutcomeTest, BothGates) {
  EXPECT_EQ(OutcomeOfRatios(Ratios(9, 1)), Outcome::kNotWorse);
  EXPECT_EQ(OutcomeOfRatios(Ratios(9, 1.5)), Outcome::kNotWorse);
  EXPECT_EQ(OutcomeOfRatios(Ratios(9, 0.98)), Outcome::kNotWorse) << "certain, but too little";
  EXPECT_EQ(OutcomeOfRatios(Ratios(9, 0.95)), Outcome::kDiffers);
  EXPECT_EQ(OutcomeOfRatios(Ratios(9, 0.89)), Outcome::kWorse);
  EXPECT_EQ(OutcomeOfRatios({0.96, 0.96, 0.96, 0.96, 0.96, 0.96, 0.96, 1.01, 1.01}),
            Outcome::kNotWorse)
      << "enough, but not certain";
}

TEST(RatioOutcomeTest, TooFewRoundsProveNothing) {
  EXPECT_EQ(OutcomeOf(std::nullopt, OutcomeGates()), Outcome::kUnproven);
  EXPECT_EQ(OutcomeOfRatios(Ratios(7, 0.5)), Outcome::kUnproven);
  EXPECT_EQ(OutcomeOfRatios(Ratios(8, 0.5)), Outcome::kWorse);
}

TEST(RatioOutcomeTest, NoisyIsWideAndHoldsBoth) {
  EXPECT_EQ(OutcomeOfRatios({0.5, 1, 0.5, 1, 0.5, 1, 0.5, 1, 0.5}), Outcome::kNoisy);
  EXPECT_EQ(OutcomeOfRatios({0.92, 1, 0.92, 1, 0.92, 1, 0.92, 1, 0.92}), Outcome::kNotWorse);
}

// One bad round does not clear a slow path by itself, nor accuse an equal one.
TEST(RatioOutcomeTest, OneBadRound) {
  EXPECT_EQ(OutcomeOfRatios({1, 1, 1, 0.2, 1, 1, 1, 1, 1}), Outcome::kNotWorse);
  const Ratios slow = {0.5, 0.5, 0.5, 1, 0.5, 0.5, 0.5, 0.5, 0.5};
  EXPECT_EQ(OutcomeOfRatios(slow), Outcome::kNoisy) << "nine rounds cannot be sure";
  Ratios more = slow;
  more.resize(15, 0.5);
  EXPECT_EQ(OutcomeOfRatios(more), Outcome::kWorse);
  more[10] = 1.2;
  EXPECT_EQ(OutcomeOfRatios(more), Outcome::kWorse) << "of fifteen, two may be bad";
}

TEST(RatioOutcomeTest, AmongManyOnlyWhatIsCertainEnough) {
  for (const Outcome outcome : {Outcome::kNotWorse, Outcome::kDiffers, Outcome::kWorse,
                                Outcome::kNoisy, Outcome::kUnproven}) {
    EXPECT_EQ(AmongMany(outcome, 0.05, 0.05), outcome);
  }
  EXPECT_EQ(AmongMany(Outcome::kWorse, 0.06, 0.05), Outcome::kUnproven);
  EXPECT_EQ(AmongMany(Outcome::kDiffers, 0.06, 0.05), Outcome::kNotWorse);
  EXPECT_EQ(AmongMany(Outcome::kNoisy, 0.06, 0.05), Outcome::kNoisy);
}

}  // namespace
}  // namespace railgauge
