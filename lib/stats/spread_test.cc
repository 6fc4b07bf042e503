#include "lib/stats/spread.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "lib/stats/noise_testutil.h"

namespace railgauge {
namespace {

using Values = std::vector<double>;

TEST(SpreadTest, DeviationsAreShares) {
  EXPECT_EQ(RelativeDeviations(Values{8, 10, 15}), (Values{0.2, 0, 0.5}));
  EXPECT_TRUE(RelativeDeviations(Values{}).empty());
  EXPECT_TRUE(RelativeDeviations(Values{0, 0, 1}).empty());
}

TEST(SpreadTest, KnownRankSums) {
  EXPECT_EQ(WiderSpreadPValue(Values{}, Values{1}), 1);
  EXPECT_EQ(WiderSpreadPValue(Values{1}, Values{}), 1);
  EXPECT_EQ(WiderSpreadPValue(Values(5, 1.0), Values(5, 1.0)), 1) << "all alike say nothing";
  // Ranks 4, 5, 6 of 6: the sum 15 is 4.5 above 10.5, of deviation sqrt(5.25); Φ(-4/2.291).
  EXPECT_NEAR(WiderSpreadPValue(Values{4, 5, 6}, Values{1, 2, 3}), 0.04042, 1e-4);
  EXPECT_GT(WiderSpreadPValue(Values{1, 2, 3}, Values{4, 5, 6}), 0.95);
}

Values DeviationsOf(NoisyWindows& windows, int cells) {
  Values all;
  for (int cell = 0; cell < cells; ++cell) {
    Values values(10);
    for (double& value : values) value = windows.Window();
    for (const double deviation : RelativeDeviations(values)) all.push_back(deviation);
  }
  return all;
}

TEST(SpreadTest, FindsWhatSpreadsAndNotOneSpoiledWindow) {
  NoisyWindows quiet(NoiseShape::kNormal, 0.01, 1), loud(NoiseShape::kNormal, 0.05, 2);
  int found = 0, false_found = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const Values others = DeviationsOf(quiet, 8);
    found += WiderSpreadPValue(DeviationsOf(loud, 1), others) < 0.01 ? 1 : 0;
    Values spoiled = DeviationsOf(quiet, 1);
    *std::max_element(spoiled.begin(), spoiled.end()) = 0.3;
    false_found += WiderSpreadPValue(spoiled, others) < 0.01 ? 1 : 0;
  }
  EXPECT_GT(found, 400);
  EXPECT_LT(false_found, 20);
}

}  // namespace
}  // namespace railgauge
