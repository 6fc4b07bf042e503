#include "lib/stats/false_discovery.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "lib/stats/noise_testutil.h"

namespace railgauge {
namespace {

TEST(FalseDiscoveryTest, NoTestsOrOne) {
  EXPECT_EQ(FalseDiscovery({}).Adjusted(0.5), 1);
  EXPECT_EQ(FalseDiscovery({0.03}).Adjusted(0.03), 0.03);
}

// The example of Benjamini and Hochberg's paper: of fifteen, the first four at q = 0.05.
TEST(FalseDiscoveryTest, ThePapersExample) {
  const std::vector<double> p_values = {0.0459, 0.0001, 0.3240, 0.0004, 0.0019,
                                        0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                        0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
  const FalseDiscovery budget(p_values);
  EXPECT_EQ(budget.tests(), 15u);
  EXPECT_EQ(std::count_if(p_values.begin(), p_values.end(),
                          [&](double p) { return budget.Adjusted(p) <= 0.05; }),
            4);
  EXPECT_NEAR(budget.Adjusted(0.0001), 0.0015, 1e-12);
  EXPECT_NEAR(budget.Adjusted(0.0095), 0.0095 * 15 / 4, 1e-12);
  EXPECT_NEAR(budget.Adjusted(0.0278), 0.0298 * 15 / 7, 1e-12) << "no more than the next one's";
  EXPECT_EQ(budget.Adjusted(1), 1);
}

TEST(FalseDiscoveryTest, EqualValuesHaveOneFate) {
  const FalseDiscovery budget({0.01, 0.01, 0.01, 0.5});
  EXPECT_NEAR(budget.Adjusted(0.01), 0.01 * 4 / 3, 1e-12);
}

// Where 40 of 320 are true, the false ones among what is found are at most 5 % on average.
TEST(FalseDiscoveryTest, KeepsTheShareOfFalseFindings) {
  NoisyWindows random(NoiseShape::kNormal, 0.01, 5);
  constexpr int kRuns = 400;
  double share = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> p_values;
    for (int i = 0; i < 320; ++i) p_values.push_back(random.Uniform() * (i < 40 ? 1e-3 : 1));
    const FalseDiscovery budget(p_values);
    int found = 0, wrong = 0;
    for (int i = 0; i < 320; ++i) {
      if (budget.Adjusted(p_values[static_cast<size_t>(i)]) > 0.05) continue;
      ++found;
      wrong += i < 40 ? 0 : 1;
    }
    share += found > 0 ? wrong / double(found) : 0;
  }
  EXPECT_LT(share / kRuns, 0.05);
  EXPECT_GT(share / kRuns, 0.03) << "and no budget is wasted";
}

}  // namespace
}  // namespace railgauge
