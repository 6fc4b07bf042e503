#include "lib/measure/latency_histogram.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

void ExpectNear(Nanoseconds seen, int64_t wanted) {
  const auto value = static_cast<double>(wanted);
  EXPECT_NEAR(static_cast<double>(seen.count()), value, 0.001 * value);
}

TEST(LatencyHistogramTest, PercentilesOfAThousandTimes) {
  LatencyHistogram histogram;
  EXPECT_FALSE(histogram.Summary());
  for (int64_t i = 1000; i >= 1; --i) histogram.Record(Nanoseconds{i * 1000});
  const auto summary = histogram.Summary();
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->count, 1000u);
  ExpectNear(summary->min, 1'000);
  ExpectNear(summary->p50, 500'000);
  ExpectNear(summary->p90, 900'000);
  ExpectNear(summary->p99, 990'000);
  ExpectNear(summary->p99_9, 999'000);
  ExpectNear(summary->max, 1'000'000);
  histogram.Clear();
  EXPECT_FALSE(histogram.Summary());
}

TEST(LatencyHistogramTest, WhatIsOutOfRangeIsCountedAtItsEnd) {
  LatencyHistogram histogram;
  histogram.Record(Nanoseconds{-5});
  histogram.Record(std::chrono::hours{1});
  EXPECT_EQ(histogram.Summary()->count, 2u);
  ExpectNear(histogram.Summary()->min, 1);
  ExpectNear(histogram.Summary()->max, 60'000'000'000);
}

}  // namespace
}  // namespace railgauge
