#include "lib/stats/median.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

using Values = std::vector<double>;

TEST(MedianTest, KnownValues) {
  EXPECT_EQ(Median(Values{}), std::nullopt);
  EXPECT_EQ(Median(Values{7}), 7);
  EXPECT_EQ(Median(Values{3, 1}), 2);
  EXPECT_EQ(Median(Values{9, 1, 5}), 5);
  EXPECT_EQ(Median(Values{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(Median(Values{1, 1, 1, 100}), 1);
  EXPECT_EQ(Median(Values{0, 0, 0}), 0);
  const double huge = std::numeric_limits<double>::max();
  EXPECT_EQ(Median(Values{huge, huge}), huge);
}

TEST(MedianTest, DeviationIsNotMovedByAnOutlier) {
  EXPECT_EQ(MedianAbsoluteDeviation(Values{}), std::nullopt);
  EXPECT_EQ(MedianAbsoluteDeviation(Values{5}), 0);
  EXPECT_EQ(MedianAbsoluteDeviation(Values{1, 1, 2, 2, 4, 6, 9}), 1);  // a textbook example
  EXPECT_EQ(MedianAbsoluteDeviation(Values{1, 1, 2, 2, 4, 6, 9e9}), 1);
}

TEST(MedianTest, RobustZ) {
  EXPECT_NEAR(RobustZ(12, 10, 1, 0), 2 / 1.4826, 1e-12);
  EXPECT_NEAR(RobustZ(8, 10, 1, 0), -2 / 1.4826, 1e-12);
  EXPECT_EQ(RobustZ(8, 10, 0, 1), -2);
  EXPECT_EQ(RobustZ(10, 10, 0, 0), 0);
  EXPECT_EQ(RobustZ(11, 10, 0, 0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(RobustZ(9, 10, 0, 0), -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace railgauge
