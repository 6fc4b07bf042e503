#include "lib/placement/id_speeds.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "lib/placement/id_world_testutil.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

using Strings = std::vector<std::string>;
constexpr char kNic[] = "0000:4f:00.0";

std::vector<Finding> Find(const World& world) {
  const Decision nothing;
  const Evidence evidence(world.machine, world.census, world.samples, nothing, JudgeGates());
  return FindIdSpeeds(evidence, GatherIds(world.census), world.samples);
}

// 12.5, 8.4 and 5.2 GB/s to GPUs of the same switch, node and the other node.
double ThreeSpeeds(const Cell& cell, Relation relation) {
  if (relation == Relation::kSameSwitch || cell.place.is_host()) return 12.5e9;
  return relation == Relation::kSameNumaNode ? 8.4e9 : 5.2e9;
}

// Screened, and three windows of what the NIC has.
void Measure(World& world) {
  world.Screen();
  for (const MemoryPlace& place : world.machine.Places()) {
    for (const Operation operation : {Operation::kRead, Operation::kWrite}) {
      const Cell cell = world.CellOf(kNic, place.ToString(), operation, Direction::kToMemory);
      world.Measure(std::vector<CellPair>{{cell, cell}}, 2);
    }
  }
}

TEST(IdSpeedsTest, WhatRelationsExplainIsNoFinding) {
  World world(MakeP5());
  EXPECT_TRUE(Find(world).empty()) << "nothing measured";
  world.speed = ThreeSpeeds;
  Measure(world);
  EXPECT_EQ(Heads(Find(world)), Strings{});
  // One id for all, with its three speeds.
  for (CensusRow& row : world.census) row.ids = {0, 0, 0};
  for (Sample& sample : world.samples) sample.interconnect_id = 0;
  EXPECT_EQ(Heads(Find(world)), Strings{});
}

TEST(IdSpeedsTest, OneIdAndOneRelationWithTwoSpeeds) {
  World world(MakeP5());
  world.speed = [](const Cell& cell, Relation relation) {
    const bool slow = cell.nic.address == Pci(kNic) && cell.place.gpu.bus == 0x64;
    return slow && cell.operation == Operation::kRead ? 4e9 : ThreeSpeeds(cell, relation);
  };
  world.Screen();
  EXPECT_TRUE(Find(world).empty()) << "a single window proves nothing";
  world.samples.clear();
  Measure(world);
  const std::vector<Finding> findings = Find(world);
  EXPECT_EQ(Heads(findings), Strings{"id_with_two_speeds 0000:4f:00.0 rdma_read"});
  EXPECT_EQ(findings[0].places, std::vector{MemoryPlace::Gpu(Pci("0000:64:00.0"))});
  EXPECT_EQ(findings[0].severity, Severity::kWarning);

  // Another id for the slow place, and the ids tell of it.
  for (CensusRow* row : RowsOf(world.census, kNic, "gpu:0000:64:00.0")) row->ids.rdma_read = 99;
  for (Sample& sample : world.samples) {
    const bool there = sample.cell.nic.address == Pci(kNic) && sample.cell.place.gpu.bus == 0x64;
    if (there && sample.interconnect_id && sample.cell.operation == Operation::kRead) {
      sample.interconnect_id = 99;
    }
  }
  EXPECT_EQ(Heads(Find(world)), Strings{});
}

// Seen: 6.0 GB/s in three windows where the one window of the other place was 6.9 by chance.
TEST(IdSpeedsTest, FastSingleWindowsElsewhereDoNotMakeAPlaceSlow) {
  World world(MakeP5());
  world.speed = [](const Cell& cell, Relation relation) {
    const bool lucky = cell.nic.address == Pci(kNic) && cell.place.gpu.bus > 0x64;
    return ThreeSpeeds(cell, relation) * (lucky ? 1.4 : 1);
  };
  world.Screen();
  world.speed = ThreeSpeeds;
  for (int i = 0; i < 2; ++i) {
    world.Add(world.CellOf(kNic, "gpu:0000:64:00.0", Operation::kRead, Direction::kToMemory), 0,
              8.4e9);
  }
  EXPECT_EQ(Heads(Find(world)), Strings{});
}

TEST(IdSpeedsTest, DisturbedWindowsProveNothing) {
  World world(MakeP5());
  world.speed = [](const Cell& cell, Relation relation) {
    const bool slow = cell.nic.address == Pci(kNic) && cell.place.gpu.bus == 0x64;
    return slow ? 4e9 : ThreeSpeeds(cell, relation);
  };
  Measure(world);
  EXPECT_FALSE(Find(world).empty());
  for (Sample& sample : world.samples) sample.disturbed = true;
  EXPECT_TRUE(Find(world).empty());
}

TEST(IdSpeedsTest, TwoIdsWithOneSpeedOfASlowNic) {
  World world(MakeP5());
  world.speed = [](const Cell& cell, Relation relation) {
    const double speed = ThreeSpeeds(cell, relation);
    return cell.nic.address == Pci(kNic) ? std::min(speed, 7.5e9) : speed;
  };
  Measure(world);
  const std::vector<Finding> findings = Find(world);
  EXPECT_EQ(Heads(findings), (Strings{"ids_with_one_speed 0000:4f:00.0 rdma_read",
                                      "ids_with_one_speed 0000:4f:00.0 rdma_recv"}));
  EXPECT_EQ(findings[0].severity, Severity::kNote);
  EXPECT_NE(findings[0].evidence.find("where siblings have 12."), std::string::npos)
      << findings[0].evidence;
}

TEST(IdSpeedsTest, ALoneNicHasNoSiblingsToBeUnlike) {
  World world(MakeG6());
  world.speed = [](const Cell&, Relation) { return 7.5e9; };
  world.Screen();
  world.Screen();
  world.Screen();
  EXPECT_TRUE(Find(world).empty());
}

TEST(IdSpeedsTest, AnIdThatChanged) {
  World world(MakeP5());
  world.speed = ThreeSpeeds;
  world.Screen();
  for (CensusRow* row : RowsOf(world.census, kNic, "numa0")) row->ids.rdma_recv = 55;
  std::vector<Finding> findings = Find(world);
  EXPECT_EQ(Heads(findings), Strings{"id_changed 0000:4f:00.0 -"});
  EXPECT_EQ(findings[0].evidence, "numa0: rdma_recv 2 measured with, 55 in the census");
  // What the census was not told cannot change.
  for (CensusRow* row : RowsOf(world.census, kNic, "numa0"))
    row->status = CensusStatus::kCannotTell;
  EXPECT_TRUE(Find(world).empty());
}

}  // namespace
}  // namespace railgauge
