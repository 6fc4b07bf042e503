#include "lib/stats/outlier.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "lib/stats/median.h"
#include "lib/stats/noise_testutil.h"

namespace railgauge {
namespace {

TEST(OutlierTest, FartherIsRarerAndSmallClassesKnowLess) {
  EXPECT_NEAR(OutlierPValue(0, 32), 0.5, 1e-12);
  EXPECT_LT(OutlierPValue(-5, 32), OutlierPValue(-4, 32));
  EXPECT_LT(OutlierPValue(-5, 128), OutlierPValue(-5, 8));
  EXPECT_EQ(OutlierPValue(-INFINITY, 4), 0);
}

// Members of a class of equals: the chance is never told too small, nor many times too great.
TEST(OutlierTest, IsAsRareAsItSays) {
  constexpr size_t kValues = 400'000;
  NoisyWindows windows(NoiseShape::kNormal, 0.01, 9);
  for (const size_t members : {size_t{4}, size_t{8}, size_t{32}, size_t{128}}) {
    size_t below_percent = 0, below_permille = 0;
    for (size_t i = 0; i < kValues / members; ++i) {
      std::vector<double> values(members);
      for (double& value : values) value = windows.Window();
      const double median = *Median(values), mad = *MedianAbsoluteDeviation(values);
      for (const double value : values) {
        const double p = OutlierPValue(RobustZ(value, median, mad, 0), members);
        below_percent += p <= 0.01 ? 1 : 0;
        below_permille += p <= 0.001 ? 1 : 0;
      }
    }
    EXPECT_LT(below_percent, kValues * 0.0106) << members;
    EXPECT_LT(below_permille, kValues * 0.0012) << members;
    if (members < 8) continue;  // of four, a third of what it says
    EXPECT_GT(below_percent, kValues * 0.0040) << members;
    EXPECT_GT(below_permille, kValues * 0.0002) << members;
  }
}

}  // namespace
}  // namespace railgauge
