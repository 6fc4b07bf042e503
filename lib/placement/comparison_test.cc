#include "lib/placement/comparison.h"

#include "gtest/gtest.h"
#include "lib/stats/median.h"

namespace railgauge {
namespace {

// A cell with one screening window and rounds 1….
MeasuredCell CellWith(double screening, const std::vector<double>& rounds) {
  MeasuredCell cell;
  cell.windows.push_back({0, Nanoseconds(0), screening});
  for (size_t i = 0; i < rounds.size(); ++i) {
    const auto round = static_cast<uint32_t>(i + 1);
    cell.windows.push_back({round, Nanoseconds(1000 * round), rounds[i]});
  }
  cell.median = Median(cell.Values());
  return cell;
}

Comparison CompareRounds(const std::vector<double>& a, const std::vector<double>& b) {
  return Compare(CellWith(10, a), CellWith(10, b), 0.10, JudgeGates());
}

using Rounds = std::vector<double>;
const Rounds kTens(9, 10);

TEST(ComparisonTest, EachOutcome) {
  EXPECT_EQ(CompareRounds(kTens, kTens).outcome, Outcome::kNotWorse);
  EXPECT_EQ(CompareRounds(Rounds(9, 12), kTens).outcome, Outcome::kNotWorse);
  EXPECT_EQ(CompareRounds(Rounds(9, 9.8), kTens).outcome, Outcome::kNotWorse) << "within differs";
  EXPECT_EQ(CompareRounds(Rounds(9, 9.5), kTens).outcome, Outcome::kDiffers);
  EXPECT_EQ(CompareRounds(Rounds(9, 8.9), kTens).outcome, Outcome::kWorse);
  EXPECT_EQ(CompareRounds({5, 10, 5, 10, 5, 10, 5, 10, 5}, kTens).outcome, Outcome::kNoisy);
  EXPECT_EQ(CompareRounds(Rounds(4, 5), Rounds(4, 10)).outcome, Outcome::kUnproven);
}

TEST(ComparisonTest, OneHiccupChangesNothing) {
  EXPECT_EQ(CompareRounds({10, 10, 10, 2, 10, 10, 10, 10, 10}, kTens).outcome, Outcome::kNotWorse);
  Rounds slow = {5, 5, 5, 10, 5, 5, 5, 5, 5};
  EXPECT_EQ(CompareRounds(slow, kTens).outcome, Outcome::kNoisy) << "nine rounds are not enough";
  slow.resize(15, 5);
  EXPECT_EQ(CompareRounds(slow, Rounds(15, 10)).outcome, Outcome::kWorse);
}

TEST(ComparisonTest, UnprovenHasTheRatioOfTheMedians) {
  const Comparison comparison = Compare(CellWith(5, {}), CellWith(10, {}), 0.10, JudgeGates());
  EXPECT_EQ(comparison.outcome, Outcome::kUnproven);
  EXPECT_EQ(comparison.ratio, 0.5);
  EXPECT_FALSE(comparison.interval);
  EXPECT_EQ(Compare(CellWith(5, {}), CellWith(0, {}), 0.10, JudgeGates()).ratio, 1);
}

TEST(ComparisonTest, OnlyRoundsOfBothCount) {
  MeasuredCell late = CellWith(10, kTens);
  for (Window& window : late.windows) window.round += window.round > 0 ? 4 : 0;
  const Comparison comparison = Compare(CellWith(10, kTens), late, 0.10, JudgeGates());
  EXPECT_EQ(comparison.rounds, 5u);
  EXPECT_EQ(comparison.outcome, Outcome::kUnproven);
}

// A cell measured against two others in each round has two windows in it; each other is compared
// with the one that ran next to it.
TEST(ComparisonTest, PairsWindowsNearestInTime) {
  MeasuredCell twice;
  MeasuredCell early, late;
  for (uint32_t round = 1; round <= 9; ++round) {
    const auto at = [&](uint32_t offset) { return Nanoseconds(1000 * round + offset); };
    early.windows.push_back({round, at(0), 10});
    twice.windows.push_back({round, at(10), 10});
    twice.windows.push_back({round, at(300), 5});  // the machine has slowed down by half
    late.windows.push_back({round, at(310), 5});
  }
  for (MeasuredCell* cell : {&twice, &early, &late}) cell->median = Median(cell->Values());
  EXPECT_EQ(Compare(twice, early, 0.10, JudgeGates()).ratio, 1);
  EXPECT_EQ(Compare(twice, late, 0.10, JudgeGates()).ratio, 1);
  EXPECT_EQ(Compare(twice, late, 0.10, JudgeGates()).rounds, 9u);
}

// Nine rounds that all agree are proof of one comparison, or of one in ten; not of one in a
// hundred.
TEST(ComparisonTest, AmongManyNineRoundsAreNotEnough) {
  const Comparison alone = CompareRounds(Rounds(9, 5), kTens);
  ASSERT_TRUE(alone.p_value);
  EXPECT_FALSE(alone.adjusted_p_value);
  const auto among = [&](size_t others) {
    std::vector<double> p_values(others, 0.5);
    p_values.push_back(*alone.p_value);
    return AmongMany(alone, FalseDiscovery(p_values), JudgeGates());
  };
  EXPECT_EQ(among(9).outcome, Outcome::kWorse);
  EXPECT_NEAR(*among(9).adjusted_p_value, 10.0 / 512, 1e-12);
  EXPECT_EQ(among(99).outcome, Outcome::kUnproven);
  EXPECT_TRUE(among(99).interval) << "so that it is told from too few rounds";
  EXPECT_EQ(AmongMany(Comparison(), FalseDiscovery({}), JudgeGates()).adjusted_p_value,
            std::nullopt);
}

TEST(ComparisonTest, RoundsOfZero) {
  EXPECT_EQ(CompareRounds(Rounds(9, 0), kTens).outcome, Outcome::kWorse);
  EXPECT_EQ(CompareRounds(kTens, Rounds(9, 0)).outcome, Outcome::kUnproven);
}

// Nine rounds of 12 % less, one of which looks like 50 % less because the thread did not run.
TEST(ComparisonTest, DisturbedRoundsAreLeftOutWhereEnoughOthersAreLeft) {
  std::vector<Sample> samples;
  for (uint32_t round = 1; round <= 9; ++round) {
    for (const bool first : {true, false}) {
      Sample sample;
      sample.cell.nic = {{0, static_cast<uint8_t>(first ? 1 : 2), 0, 0}, ""};
      sample.round = round;
      sample.status = SampleStatus::kOk;
      sample.throughput = BytesPerSecond{first ? 8.8 : 10.0};
      samples.push_back(sample);
    }
  }
  samples[0].throughput = BytesPerSecond{5.0};
  samples[0].disturbed = true;
  const auto compare = [&] {
    const CellTable table(samples);
    return Compare(table.cells()[0], table.cells()[1], 0.1, {});
  };
  EXPECT_EQ(compare().rounds, 8u);
  EXPECT_NEAR(compare().ratio, 0.88, 1e-9);
  samples[2].disturbed = samples[4].disturbed = true;
  EXPECT_EQ(compare().rounds, 9u) << "too few are left";
}

}  // namespace
}  // namespace railgauge
