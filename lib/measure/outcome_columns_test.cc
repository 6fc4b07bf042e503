#include "lib/measure/outcome_columns.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

using std::chrono::milliseconds;

RunOutcome SomeOutcome() {
  RunOutcome outcome;
  outcome.duration = milliseconds{1000};
  outcome.posting = milliseconds{100};
  outcome.polling = milliseconds{200};
  outcome.idle = milliseconds{700};
  outcome.completions = 1000;
  outcome.interval = milliseconds{100};
  outcome.intervals = std::vector<IntervalCount>(10, {milliseconds{100}, 100});
  return outcome;
}

Sample Of(const RunOutcome& outcome) {
  DipTest dip_test{1, 2000};
  Sample sample;
  sample.cell.size = Bytes{1 << 20};
  SetOutcomeColumns(outcome, dip_test, &sample);
  return sample;
}

TEST(OutcomeColumnsTest, RatesSharesAndIntervals) {
  const Sample sample = Of(SomeOutcome());
  EXPECT_EQ(sample.payload_bytes, 1000u << 20);
  EXPECT_EQ(sample.throughput, BytesPerSecond{1000.0 * (1 << 20)});
  EXPECT_EQ(sample.messages_per_second, 1000);
  EXPECT_EQ(sample.post_fraction, 0.1);
  EXPECT_EQ(sample.poll_fraction, 0.2);
  EXPECT_EQ(sample.idle_fraction, 0.7);
  EXPECT_EQ(sample.cpu_bound, false);
  EXPECT_EQ(sample.interval, milliseconds{100});
  EXPECT_EQ(sample.interval_count, 10u);
  EXPECT_EQ(sample.interval_modes, 1u);
  EXPECT_FALSE(sample.latency_p50);
}

TEST(OutcomeColumnsTest, AThreadThatHardlyWaitsIsTheLimit) {
  RunOutcome outcome = SomeOutcome();
  outcome.idle = milliseconds{50};
  EXPECT_EQ(Of(outcome).cpu_bound, false);
  outcome.idle = milliseconds{49};
  EXPECT_EQ(Of(outcome).cpu_bound, true);
}

TEST(OutcomeColumnsTest, Latencies) {
  RunOutcome outcome = SomeOutcome();
  outcome.latency = LatencySummary{1000,           Nanoseconds{1}, Nanoseconds{2}, Nanoseconds{3},
                                   Nanoseconds{4}, Nanoseconds{5}, Nanoseconds{6}};
  const Sample sample = Of(outcome);
  EXPECT_EQ(sample.latency_min, Nanoseconds{1});
  EXPECT_EQ(sample.latency_p50, Nanoseconds{2});
  EXPECT_EQ(sample.latency_p90, Nanoseconds{3});
  EXPECT_EQ(sample.latency_p99, Nanoseconds{4});
  EXPECT_EQ(sample.latency_p99_9, Nanoseconds{5});
  EXPECT_EQ(sample.latency_max, Nanoseconds{6});
  // One message at a time is no load.
  EXPECT_EQ(sample.messages_per_second, 1000);
  EXPECT_FALSE(sample.throughput);
  EXPECT_FALSE(sample.interval_count);
}

TEST(OutcomeColumnsTest, AWindowOfNoTimeHasNoRate) {
  const Sample sample = Of(RunOutcome{});
  EXPECT_FALSE(sample.throughput);
  EXPECT_FALSE(sample.cpu_bound);
}

TEST(OutcomeColumnsTest, WhatAnEarlierWindowHadIsGone) {
  DipTest dip_test{1, 2000};
  Sample sample;
  sample.cell.size = Bytes{1 << 20};
  SetOutcomeColumns(SomeOutcome(), dip_test, &sample);
  RunOutcome later = SomeOutcome();
  later.intervals.clear();
  SetOutcomeColumns(later, dip_test, &sample);
  EXPECT_FALSE(sample.interval);
  EXPECT_FALSE(sample.interval_count);
  EXPECT_FALSE(sample.interval_modes);
}

}  // namespace
}  // namespace railgauge
