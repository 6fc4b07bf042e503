#include "lib/placement/speed_class.h"

#include <map>
#include <vector>

#include "gtest/gtest.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

TEST(SpeedClassTest, RelationsComeFromTheCensus) {
  const World world(MakeP5());
  const Relations relations(world.census);
  EXPECT_EQ(relations.Of(Pci("0000:4f:00.0"), *MemoryPlace::Parse("gpu:0000:53:00.0")),
            Relation::kSameSwitch);
  EXPECT_EQ(relations.Of(Pci("0000:4f:00.0"), *MemoryPlace::Parse("numa1")),
            Relation::kOtherNumaNode);
  EXPECT_EQ(relations.Of(Pci("0000:4f:00.0"), *MemoryPlace::Parse("numa7")), Relation::kUnknown);
}

// The world with one NIC at `factor` of the others' speed at its own GPU.
struct OneSlow {
  explicit OneSlow(double factor, Machine machine = MakeP5()) : world(std::move(machine)) {
    const PciAddress slow = world.machine.nics[1].position.address;
    world.speed = [=](const Cell& cell, Relation relation) {
      return World::NearIsFast(cell, relation) * (cell.nic.address == slow ? factor : 1);
    };
    world.Screen();
  }
  World world;
};

const Dimension kRead = {Operation::kRead, Direction::kToMemory};

TEST(SpeedClassTest, AnOutlierIsSuspect) {
  const OneSlow slow(0.8);
  const CellTable table(slow.world.samples);
  const Relations relations(slow.world.census);
  const SpeedClasses classes(table, relations, JudgeGates());
  const MemoryPlace gpu = *MemoryPlace::Parse("gpu:0000:53:00.0");
  const MeasuredCell* outlier = table.Find(Pci("0000:50:00.0"), gpu, kRead);
  const auto standing = classes.Of(*outlier);
  ASSERT_TRUE(standing);
  EXPECT_EQ(standing->members, 32u);
  EXPECT_NEAR(standing->median, 12.5e9, 0.05e9);
  EXPECT_LT(standing->z, -3.5);
  EXPECT_LT(standing->adjusted_p_value, 0.001);
  EXPECT_TRUE(standing->suspect);
  EXPECT_TRUE(standing->looks_slow);
  EXPECT_FALSE(classes.Of(*table.Find(Pci("0000:51:00.0"), gpu, kRead))->suspect);
  EXPECT_EQ(classes.CompareWithClass(*outlier).outcome, Outcome::kUnproven);
  EXPECT_NEAR(classes.CompareWithClass(*outlier).ratio, 0.8, 0.02);
  const MeasuredCell* peer = classes.PeerOf(*outlier);
  ASSERT_NE(peer, nullptr);
  EXPECT_EQ(peer->cell.place, gpu);
  EXPECT_NE(peer->cell.nic.address, Pci("0000:50:00.0"));
}

TEST(SpeedClassTest, AFewPercentAreNoOutlier) {
  const OneSlow slow(0.98);
  const CellTable table(slow.world.samples);
  const Relations relations(slow.world.census);
  const SpeedClasses classes(table, relations, JudgeGates());
  for (const MeasuredCell& cell : table.cells()) {
    ASSERT_TRUE(classes.Of(cell));
    EXPECT_FALSE(classes.Of(cell)->suspect);
  }
}

// Five percent are worth more windows, and no reason to call a cell slow without them.
TEST(SpeedClassTest, ASuspectNeedNotLookSlow) {
  const OneSlow slow(0.95);
  const CellTable table(slow.world.samples);
  const Relations relations(slow.world.census);
  const SpeedClasses classes(table, relations, JudgeGates());
  const auto standing =
      classes.Of(*table.Find(Pci("0000:50:00.0"), *MemoryPlace::Parse("gpu:0000:53:00.0"), kRead));
  EXPECT_TRUE(standing->suspect);
  EXPECT_FALSE(standing->looks_slow);
}

// Of 320 cells with 4 % noise, some are far below the others in their one window; that is chance.
TEST(SpeedClassTest, TheWorstOfManyIsNotSlow) {
  World world(MakeP5());
  world.noise = 0.04;
  world.Screen();
  const CellTable table(world.samples);
  const Relations relations(world.census);
  const SpeedClasses classes(table, relations, JudgeGates());
  int suspects = 0;
  for (const MeasuredCell& cell : table.cells()) {
    suspects += classes.Of(cell)->suspect ? 1 : 0;
    EXPECT_FALSE(classes.Of(cell)->looks_slow);
  }
  EXPECT_GT(suspects, 0);
}

TEST(SpeedClassTest, FewMembersAreNoClass) {
  Machine machine = MakeP5();
  machine.nics.resize(3);
  machine.gpus.resize(1);
  const OneSlow slow(0.5, machine);
  const CellTable table(slow.world.samples);
  const Relations relations(slow.world.census);
  const SpeedClasses classes(table, relations, JudgeGates());
  for (const MeasuredCell& cell : table.cells()) EXPECT_FALSE(classes.Of(cell));
}

TEST(SpeedClassTest, RoundsProveIt) {
  OneSlow slow(0.8);
  const Cell outlier =
      slow.world.CellOf("0000:50:00.0", "gpu:0000:53:00.0", Operation::kRead, Direction::kToMemory);
  const Cell peer =
      slow.world.CellOf("0000:51:00.0", "gpu:0000:53:00.0", Operation::kRead, Direction::kToMemory);
  const std::vector<CellPair> pairs = {{outlier, peer, 0.8, true}};
  slow.world.Measure(pairs, 9);
  const CellTable table(slow.world.samples);
  const Relations relations(slow.world.census);
  const SpeedClasses classes(table, relations, JudgeGates());
  const Comparison comparison =
      classes.CompareWithClass(*table.Find(outlier.nic.address, outlier.place, kRead));
  EXPECT_EQ(comparison.outcome, Outcome::kWorse);
  EXPECT_EQ(comparison.rounds, 9u);
}

TEST(SpeedClassTest, UnmeasuredCellsHaveNoStanding) {
  World world(MakeP5());
  Sample sample;
  sample.cell.nic = world.machine.nics[0].key();
  world.samples = {sample};
  const CellTable table(world.samples);
  const Relations relations(world.census);
  const SpeedClasses classes(table, relations, JudgeGates());
  EXPECT_FALSE(classes.Of(table.cells()[0]));
  EXPECT_EQ(classes.PeerOf(table.cells()[0]), nullptr);
  EXPECT_EQ(classes.CompareWithClass(table.cells()[0]).outcome, Outcome::kUnproven);
}

// A p4d whose NICs have fixed partners, by their places in the list of NICs.
World InLoopback(const std::vector<size_t>& partners, const PciAddress& slow) {
  World world(MakeP4d());
  std::map<PciAddress, PciAddress> partner_of;
  for (size_t i = 0; i < partners.size(); ++i) {
    const std::vector<Nic>& nics = world.machine.nics;
    partner_of[nics[i].position.address] = nics[partners[i]].position.address;
  }
  world.partner = [partner_of](const Machine&, const Cell& cell) {
    return partner_of.at(cell.nic.address);
  };
  world.speed = [partner_of, slow](const Cell& cell, Relation relation) {
    const bool passes = cell.nic.address == slow || partner_of.at(cell.nic.address) == slow;
    return World::NearIsFast(cell, relation) * (passes ? 0.6 : 1);
  };
  world.Screen();
  return world;
}

// In loopback one slow NIC of four makes its partner's cells slow, too: half of a class.
TEST(SpeedClassTest, WhatOneNicIsAnEndOfIsHeldAgainstTheRest) {
  const World world = InLoopback({1, 0, 3, 2}, Pci("0000:10:1b.0"));
  const CellTable table(world.samples);
  const Relations relations(world.census);
  const SpeedClasses classes(table, relations, JudgeGates());
  for (const MeasuredCell& cell : table.cells()) {
    const auto standing = classes.Of(cell);
    if (!standing) continue;
    const bool of_pair = cell.cell.nic.address.bus < 0x90;
    EXPECT_EQ(standing->suspect, of_pair) << cell.cell.nic.name << cell.cell.place.ToString();
    const bool near =
        relations.Of(cell.cell.nic.address, cell.cell.place) <
        (cell.cell.place.is_gpu() ? Relation::kSameNumaNode : Relation::kOtherNumaNode);
    EXPECT_NEAR(standing->median, near ? 12.5e9 : 6.25e9, 0.1e9);
    EXPECT_EQ(2 * standing->members, classes.MembersOf(cell).size());
  }
}

// Half of a class is slow, and no NIC is an end of all of it: nothing singles these cells out.
TEST(SpeedClassTest, AHalfThatNoNicExplainsIsHeldAgainstAll) {
  World world(MakeP4d());
  world.partner = [](const Machine& machine, const Cell& cell) {
    return machine.nics[cell.nic.address.bus < 0x90 ? 2 : 0].position.address;
  };
  world.speed = [](const Cell& cell, Relation) {
    return cell.place.is_gpu() && cell.place.gpu.device == 0x1d ? 7e9 : 12e9;
  };
  world.Screen();
  const CellTable table(world.samples);
  const Relations relations(world.census);
  const SpeedClasses classes(table, relations, JudgeGates());
  for (const MeasuredCell& cell : table.cells()) {
    const auto standing = classes.Of(cell);
    ASSERT_TRUE(standing);
    EXPECT_FALSE(standing->suspect);
    EXPECT_EQ(standing->members, classes.MembersOf(cell).size());
  }
}

}  // namespace
}  // namespace railgauge
