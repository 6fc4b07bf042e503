#include "lib/measure/intervals.h"

#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

using std::chrono::milliseconds;

class IntervalsTest : public testing::Test {
 protected:
  // Intervals of 100 ms with so many messages of 1000 bytes each.
  std::optional<IntervalSummary> Of(const std::vector<uint64_t>& completions) {
    std::vector<IntervalCount> intervals;
    for (const uint64_t count : completions) intervals.push_back({milliseconds{100}, count});
    return SummarizeIntervals(intervals, Bytes{1000}, test_);
  }
  DipTest test_{1, 2000};
};

TEST_F(IntervalsTest, FewerThanThreeTellNothing) {
  EXPECT_FALSE(Of({}));
  EXPECT_FALSE(Of({10, 10}));
  EXPECT_TRUE(Of({10, 10, 10}));
}

TEST_F(IntervalsTest, MinimumMedianAndSpread) {
  const auto summary = Of({100, 90, 100, 40, 110});
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->count, 5u);
  EXPECT_DOUBLE_EQ(summary->min.value, 400e3);
  EXPECT_DOUBLE_EQ(summary->median.value, 1e6);
  EXPECT_DOUBLE_EQ(summary->mad.value, 100e3);
  EXPECT_FALSE(summary->modes) << "five intervals cannot tell";
}

TEST_F(IntervalsTest, EachIntervalHasItsOwnLength) {
  const std::vector<IntervalCount> intervals = {
      {milliseconds{100}, 100}, {milliseconds{400}, 100}, {milliseconds{100}, 100}};
  const auto summary = SummarizeIntervals(intervals, Bytes{1000}, test_);
  ASSERT_TRUE(summary);
  EXPECT_DOUBLE_EQ(summary->min.value, 250e3);
  EXPECT_DOUBLE_EQ(summary->median.value, 1e6);
}

TEST_F(IntervalsTest, AnIntervalOfNoTimeIsPassedOver) {
  const std::vector<IntervalCount> intervals(6, {Nanoseconds{0}, 100});
  EXPECT_FALSE(SummarizeIntervals(intervals, Bytes{1000}, test_));
}

TEST_F(IntervalsTest, TwoSpeedsByTurnsAreTwoModes) {
  EXPECT_EQ(Of({120, 21, 124, 22, 121, 20, 123, 21, 122, 23})->modes, 2u);
}

TEST_F(IntervalsTest, OneSpeedIsOneModeWhateverTheNoise) {
  EXPECT_EQ(Of({100, 101, 99, 100, 102, 98, 100, 101})->modes, 1u);
  EXPECT_EQ(Of({70, 80, 90, 100, 110, 120, 130, 140})->modes, 1u) << "spread evenly";
  EXPECT_EQ(Of({100, 101, 99, 10, 102, 98, 100, 101})->modes, 1u) << "one bad interval";
  EXPECT_EQ(Of({100, 95, 100, 95, 100, 95, 100, 95})->modes, 1u) << "too near to matter";
  EXPECT_EQ(Of({0, 0, 0, 0, 0, 0})->modes, 1u);
}

}  // namespace
}  // namespace railgauge
