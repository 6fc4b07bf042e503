#include "lib/compare/baseline.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

constexpr char kNic[] = "0000:4f:00.0";
constexpr char kGpu[] = "gpu:0000:53:00.0";

// A p5 of which a test adds the windows.
class Runs {
 public:
  Runs() : world_(MakeP5()) {}

  void Window(const char* nic, double throughput, uint32_t round = 0, bool disturbed = false) {
    const Cell cell = world_.CellOf(nic, kGpu, Operation::kRead, Direction::kToMemory);
    world_.Add(cell, round, throughput).disturbed = disturbed;
  }
  // The windows so far as a run; the next one begins without.
  RunReadings Take(const std::string& id) {
    RunReadings readings = ReadingsOf({id, "host", "i-1", "p5.48xlarge", "emulated"},
                                      world_.machine, world_.census, world_.samples, 4);
    world_.samples.clear();
    return readings;
  }
  World& world() { return world_; }

 private:
  World world_;
};

const BaselineRow* Find(const Baseline& baseline, const std::string& slot) {
  const auto found =
      std::find_if(baseline.rows.begin(), baseline.rows.end(),
                   [&](const BaselineRow& row) { return row.cell.nic_slot == slot; });
  return found == baseline.rows.end() ? nullptr : &*found;
}
constexpr char kSlot[] = "0/00.0/00.0/01.0/00.0";

TEST(BaselineTest, NamesNoHost) {
  Runs runs;
  runs.Window(kNic, 12e9);
  BaselineMaker maker;
  ASSERT_TRUE(maker.Add(runs.Take("r1"), "a"));
  const auto baseline = maker.Finish();
  ASSERT_TRUE(baseline);
  EXPECT_EQ(baseline->run.host, "");
  EXPECT_EQ(baseline->run.instance_id, "");
  EXPECT_EQ(baseline->run.instance_type, "p5.48xlarge");
  EXPECT_EQ(baseline->run.platform, "emulated");
  ASSERT_EQ(baseline->rows.size(), 1u);
  const BaselineRow& row = baseline->rows[0];
  EXPECT_EQ(row.cell.nic_slot, kSlot);
  EXPECT_EQ(row.cell.place_kind, "gpu");
  EXPECT_EQ(row.cell.relation, Relation::kSameSwitch);
  EXPECT_EQ(row.peer, "loopback");
  EXPECT_EQ(row.queue_pairs, 4u);
  EXPECT_EQ(row.throughput_median.value, 12e9);
  EXPECT_FALSE(row.throughput_low);  // one window, and no other NIC
  EXPECT_EQ(row.interval_source, "");
}

TEST(BaselineTest, EachRunIsOneVote) {
  Runs runs;
  BaselineMaker maker;
  for (int i = 0; i < 9; ++i) runs.Window(kNic, 10e9 + i * 1e6);
  ASSERT_TRUE(maker.Add(runs.Take("r2"), "a"));
  runs.Window(kNic, 12e9);
  ASSERT_TRUE(maker.Add(runs.Take("r1"), "b"));
  runs.Window(kNic, 13e9);
  ASSERT_TRUE(maker.Add(runs.Take("r0"), "c"));
  const auto baseline = maker.Finish();
  ASSERT_TRUE(baseline);
  EXPECT_EQ(baseline->run.run_id, "r2");
  const BaselineRow* row = Find(*baseline, kSlot);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->throughput_median.value, 12e9);
  EXPECT_EQ(row->run_count, 3u);
  EXPECT_EQ(row->sample_count, 11u);
  // Of eleven windows, and every run's median is in it.
  EXPECT_EQ(row->interval_source, "windows");
  EXPECT_LE(row->throughput_low->value, 10.004e9);
  EXPECT_EQ(row->throughput_high->value, 13e9);
}

TEST(BaselineTest, EightRunsAreAnIntervalByThemselves) {
  Runs runs;
  BaselineMaker maker;
  for (int i = 0; i < 8; ++i) {
    runs.Window(kNic, 12e9 + i * 1e7);
    ASSERT_TRUE(maker.Add(runs.Take("r" + std::to_string(i)), "a"));
  }
  const auto baseline = maker.Finish();
  ASSERT_TRUE(baseline);
  const BaselineRow* row = Find(*baseline, kSlot);
  EXPECT_EQ(row->interval_source, "runs");
  EXPECT_EQ(row->throughput_low->value, 12e9);
  EXPECT_EQ(row->throughput_high->value, 12.07e9);
  EXPECT_GT(*row->interval_confidence, 0.99);
}

TEST(BaselineTest, OneWindowHasTheIntervalOfItsLikeWidenedToItself) {
  Runs runs;
  for (const Relation near : {Relation::kSameSwitch}) {
    for (const CensusRow& row : runs.world().census) {
      if (row.place.ToString() != kGpu || row.relation == near) continue;
      runs.Window(row.nic.address.ToString().c_str(), 8e9);
    }
  }
  runs.Window("0000:60:00.0", 11e9);
  BaselineMaker maker;
  ASSERT_TRUE(maker.Add(runs.Take("r1"), "a"));
  const auto baseline = maker.Finish();
  ASSERT_TRUE(baseline);
  const BaselineRow* odd = Find(*baseline, "1/00.0/00.0/01.0/00.0");
  EXPECT_EQ(odd->interval_source, "class");
  EXPECT_EQ(odd->throughput_low->value, 8e9);
  // Two windows, 8 and 11.
  EXPECT_EQ(odd->throughput_high->value, 9.5e9);
}

TEST(BaselineTest, DisturbedCellsAreLeftOut) {
  Runs runs;
  runs.Window(kNic, 5e9, 0, true);
  runs.Window("0000:50:00.0", 12e9);
  runs.Window("0000:50:00.0", 5e9, 1, true);
  BaselineMaker maker;
  ASSERT_TRUE(maker.Add(runs.Take("r1"), "a"));
  EXPECT_EQ(maker.disturbed(), 1u);
  const auto baseline = maker.Finish();
  ASSERT_TRUE(baseline);
  ASSERT_EQ(baseline->rows.size(), 1u);
  EXPECT_EQ(baseline->rows[0].throughput_median.value, 12e9);
}

TEST(BaselineTest, NothingMeasuredIsAnError) {
  BaselineMaker maker;
  ASSERT_TRUE(maker.Add(Runs().Take("r1"), "a"));
  const auto baseline = maker.Finish();
  ASSERT_FALSE(baseline);
  EXPECT_NE(baseline.error().ToString().find("nothing was measured"), std::string::npos);
}

TEST(BaselineTest, RunsOfTwoKindsAreRefusedByName) {
  Runs runs;
  runs.Window(kNic, 12e9);
  const RunReadings first = runs.Take("r1");
  const auto refuse = [&](auto change) {
    RunReadings other = first;
    change(other.conditions);
    BaselineMaker maker;
    EXPECT_TRUE(maker.Add(first, "first"));
    const Status status = maker.Add(other, "second");
    EXPECT_FALSE(status);
    return status ? std::string() : status.error().ToString();
  };
  EXPECT_EQ(refuse([](Conditions& c) { c.instance_type = "p4d.24xlarge"; }),
            "compare second: its instance type is 'p4d.24xlarge', and that of first "
            "'p5.48xlarge'. Compare machines of one type only.");
  EXPECT_NE(refuse([](Conditions& c) {
              c.platform = "hardware";
            }).find("its platform is 'hardware', and that of first 'emulated'"),
            std::string::npos);
  EXPECT_NE(refuse([](Conditions& c) {
              c.peer = "two_hosts";
            }).find("with another host, and first in loopback"),
            std::string::npos);
  EXPECT_NE(
      refuse([](Conditions& c) { c.queue_pairs = 1; }).find("1 queue pairs, and first with 4"),
      std::string::npos);
  EXPECT_NE(refuse([](Conditions& c) {
              c.depths = {{Bytes{4096}, {16}}};
            }).find("messages of 4KiB, and first with 1MiB"),
            std::string::npos);
  EXPECT_NE(refuse([](Conditions& c) {
              c.depths = {{Bytes{1 << 20}, {8}}};
            }).find("messages of 1MiB had 8 in flight, and in first 16"),
            std::string::npos);
}

// A run whose run.json says nothing of queue pairs is not held against one that does.
TEST(BaselineTest, WhatIsNotRecordedIsNotRefused) {
  Runs runs;
  runs.Window(kNic, 12e9);
  const RunReadings first = runs.Take("r1");
  RunReadings other = first;
  other.conditions.queue_pairs.reset();
  BaselineMaker maker;
  EXPECT_TRUE(maker.Add(other, "a"));
  EXPECT_TRUE(maker.Add(first, "b"));
}

}  // namespace
}  // namespace railgauge
