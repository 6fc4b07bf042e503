#include "lib/placement/summary.h"

#include "gtest/gtest.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

std::vector<SummaryRow> RowsOf(const World& world) {
  const Decision decision;
  return Summarize(Evidence(world.machine, world.census, world.samples, decision, {}));
}

Cell AnyCell(const World& world) {
  return world.CellOf("0000:4f:00.0", "gpu:0000:53:00.0", Operation::kRead, Direction::kToMemory);
}

TEST(SummaryTest, OneWindowHasNoSpread) {
  World world(MakeP5());
  EXPECT_TRUE(RowsOf(world).empty());
  world.Add(AnyCell(world), 0, 12e9).interconnect_id = 0;
  const SummaryRow row = RowsOf(world).at(0);
  EXPECT_EQ(row.verdict, Verdict::kOk);
  EXPECT_EQ(row.relation, Relation::kSameSwitch);
  EXPECT_EQ(row.way, RegistrationWay::kDmabuf);
  EXPECT_EQ(row.interconnect_id, 0);
  EXPECT_EQ(row.sample_count, 1u);
  EXPECT_EQ(row.throughput_median, BytesPerSecond{12e9});
  EXPECT_FALSE(row.throughput_mad || row.throughput_low || row.throughput_high);
  EXPECT_EQ(row.ceiling_fraction, 0.96);
  EXPECT_EQ(row.ceiling_resource, "the line rate of rdmap79s0");
  EXPECT_EQ(row.ceiling, BytesPerSecond{12.5e9});
  EXPECT_EQ(row.ceiling_provenance, "published");
}

TEST(SummaryTest, AnUnknownCeilingStaysUnknown) {
  World world(MakeP5());
  world.machine.instance_type = "p9.48xlarge";
  world.Add(AnyCell(world), 0, 12e9);
  const SummaryRow row = RowsOf(world).at(0);
  EXPECT_FALSE(row.ceiling_fraction || row.ceiling);
  EXPECT_EQ(row.ceiling_resource + row.ceiling_provenance, "");
}

TEST(SummaryTest, SpreadAndInterval) {
  World world(MakeP5());
  for (const double value : {11.9e9, 12e9, 12.1e9, 12e9, 12e9}) world.Add(AnyCell(world), 0, value);
  EXPECT_FALSE(RowsOf(world).at(0).throughput_low) << "five values have no interval of 99 %";
  for (int i = 0; i < 4; ++i) world.Add(AnyCell(world), 0, 12e9);
  const SummaryRow row = RowsOf(world).at(0);
  EXPECT_EQ(row.verdict, Verdict::kOk);
  EXPECT_EQ(row.throughput_mad, BytesPerSecond{0});
  EXPECT_LE(*row.throughput_low, BytesPerSecond{12e9});
  EXPECT_GE(*row.throughput_high, BytesPerSecond{12e9});
  EXPECT_NEAR(*row.interval_confidence, 1 - 2.0 / 512, 1e-12);
}

TEST(SummaryTest, ACellOfTwoSpeedsIsNoisy) {
  World world(MakeP5());
  for (int i = 0; i < 9; ++i) world.Add(AnyCell(world), 0, i % 2 == 0 ? 12e9 : 6e9);
  const SummaryRow row = RowsOf(world).at(0);
  EXPECT_EQ(row.verdict, Verdict::kNoisy);
  EXPECT_EQ(row.reason, "the median lies anywhere between 6.00 GB/s and 12.00 GB/s");
}

TEST(SummaryTest, WhatWasNotMeasured) {
  World world(MakeP5());
  const struct {
    SampleStatus status;
    Verdict verdict;
  } cases[] = {{SampleStatus::kSkipped, Verdict::kUndecided},
               {SampleStatus::kFailed, Verdict::kUndecided},
               {SampleStatus::kInvalid, Verdict::kInvalid},
               {SampleStatus::kWrongOperation, Verdict::kInvalid},
               {SampleStatus::kRetransmissionBurst, Verdict::kInvalid},
               {SampleStatus::kAboveCeiling, Verdict::kInvalid}};
  for (const auto& c : cases) {
    world.samples.clear();
    Sample& sample = world.Add(AnyCell(world), 0, 0);
    sample.status = c.status;
    sample.reason = "why";
    const SummaryRow row = RowsOf(world).at(0);
    EXPECT_EQ(row.verdict, c.verdict);
    EXPECT_EQ(row.reason, "why");
    EXPECT_EQ(row.sample_count, 0u);
    EXPECT_FALSE(row.throughput_median);
  }
}

TEST(SummaryTest, SomeBadWindowsAreTold) {
  World world(MakeP5());
  world.Add(AnyCell(world), 0, 12e9);
  Sample& bad = world.Add(AnyCell(world), 1, 50e9);
  bad.status = SampleStatus::kInvalid;
  bad.reason = "above the line rate";
  const SummaryRow row = RowsOf(world).at(0);
  EXPECT_EQ(row.verdict, Verdict::kOk);
  EXPECT_EQ(row.reason, "1 of 2 windows were not good: above the line rate");
  EXPECT_EQ(row.throughput_median, BytesPerSecond{12e9});
}

TEST(SummaryTest, ACpuBoundCellSaysThatTheThreadWasTheLimit) {
  World world(MakeP5());
  for (const bool bound : {true, false, true}) {
    world.Add(AnyCell(world), 0, 12e9).cpu_bound = bound;
  }
  SummaryRow row = RowsOf(world).at(0);
  EXPECT_EQ(row.verdict, Verdict::kOk);
  EXPECT_EQ(row.findings, "cpu_bound");
  EXPECT_EQ(row.reason, "the measuring thread, not the path, was the limit in 2 of 3 windows");
  world.Add(AnyCell(world), 0, 12e9);  // as many as not: no finding
  row = RowsOf(world).at(0);
  EXPECT_EQ(row.findings, "");
  EXPECT_EQ(row.reason, "");
}

TEST(SummaryTest, ACellOfDisturbedWindowsAloneIsMarked) {
  World world(MakeP5());
  for (const bool disturbed : {true, true}) {
    world.Add(AnyCell(world), 0, 12e9).disturbed = disturbed;
  }
  EXPECT_EQ(RowsOf(world).at(0).findings, "disturbed");
  world.Add(AnyCell(world), 0, 12e9).disturbed = false;
  EXPECT_EQ(RowsOf(world).at(0).findings, "");
}

TEST(SummaryTest, WithoutCountersACellIsJudgedAndSaysSo) {
  World world(MakeP5());
  world.Add(AnyCell(world), 0, 12e9).status = SampleStatus::kNoCounters;
  const SummaryRow row = RowsOf(world).at(0);
  EXPECT_EQ(row.verdict, Verdict::kOk);
  EXPECT_EQ(row.throughput_median, BytesPerSecond{12e9});
  EXPECT_EQ(row.findings, "no_counters");
  EXPECT_EQ(row.reason, "no counters of the devices prove it in its only window");
}

TEST(SummaryTest, AnOutlierOfOneWindowIsUndecided) {
  World world(MakeP5());
  world.speed = [](const Cell& cell, Relation) {
    return cell.nic.address == PciAddress{0, 0x4f, 0, 0} ? 6e9 : 12.5e9;
  };
  world.Screen();
  for (const SummaryRow& row : RowsOf(world)) {
    const bool slow = row.cell.nic.address == PciAddress{0, 0x4f, 0, 0};
    EXPECT_EQ(row.verdict, slow ? Verdict::kUndecided : Verdict::kOk) << row.reason;
  }
}

}  // namespace
}  // namespace railgauge
