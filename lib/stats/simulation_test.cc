// The promises of statistics_benchmark on fewer trials: a change of a rule that breaks one fails
// here.
#include "gtest/gtest.h"
#include "lib/stats/simulation_testutil.h"

namespace railgauge {
namespace {

TEST(SimulationTest, EqualPathsAreNotSlow) {
  for (const NoiseShape shape : kNoiseShapes) {
    NoisyWindows windows(shape, 0.01, 21);
    const OutcomeCounts counts = CompareInTurn(windows, 1, 4000, 1);
    EXPECT_EQ(counts.slow, 0u) << ToString(shape);
    EXPECT_LE(counts.noisy, 4u) << ToString(shape);
    EXPECT_LT(counts.escalated, 4000u / 50) << ToString(shape);
  }
}

TEST(SimulationTest, FivePercentAreFound) {
  for (const size_t tests : {size_t{1}, size_t{40}, size_t{320}}) {
    NoisyWindows windows(NoiseShape::kNormal, 0.01, 22);
    EXPECT_GE(CompareInTurn(windows, 0.95, 1000, tests).slow, 950u) << tests;
  }
  NoisyWindows spoiled(NoiseShape::kSpoiled, 0.01, 22);
  EXPECT_GE(CompareInTurn(spoiled, 0.95, 1000, 40).slow, 900u);
}

// 200 runs of 320 cells: at most one false finding in at least 198 of them.
TEST(SimulationTest, RunsHaveFewFalseFindings) {
  for (const NoiseShape shape : kNoiseShapes) {
    NoisyWindows windows(shape, 0.02, 23);
    size_t at_most_one = 0;
    for (int run = 0; run < 200; ++run) {
      const RunFindings findings = SimulateRun(windows, 1);
      at_most_one += findings.slow + findings.looks_slow <= 1 ? 1 : 0;
    }
    EXPECT_GE(at_most_one, 198u) << ToString(shape);
  }
}

TEST(SimulationTest, MeasuringAllCellsInTurnFindsNoMore) {
  NoisyWindows windows(NoiseShape::kNormal, 0.02, 24);
  for (int run = 0; run < 20; ++run) EXPECT_LE(SimulateRun(windows, 1, true).slow, 1u);
}

TEST(SimulationTest, ASlowCellIsFoundFromTheScreeningOn) {
  NoisyWindows windows(NoiseShape::kNormal, 0.01, 25);
  size_t found = 0;
  for (int run = 0; run < 300; ++run) found += SimulateRun(windows, 0.95).slow_cell ? 1 : 0;
  EXPECT_GE(found, 270u);
}

}  // namespace
}  // namespace railgauge
