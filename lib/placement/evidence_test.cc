#include "lib/placement/evidence.h"

#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

const Dimension kRead = {Operation::kRead, Direction::kToMemory};

TEST(EvidenceTest, UsersAndIdleNics) {
  const World world(MakeP5());
  const Decision decision = MakeDecision(
      world.machine, {"gpu:0000:53:00.0 0000:4f:00.0", "gpu:0000:64:00.0 0000:4f:00.0"});
  const Evidence evidence(world.machine, world.census, world.samples, decision, {});
  EXPECT_EQ(evidence.Users(Pci("0000:4f:00.0")).size(), 2u);
  EXPECT_TRUE(evidence.Idle(Pci("0000:50:00.0")));
}

TEST(EvidenceTest, JudgedDimensionsNeedEveryChosenNic) {
  World world(MakeP5());
  world.speed = [](const Cell& cell, Relation relation) {
    const bool lacks = cell.operation == Operation::kWrite && cell.nic.name == "rdmap80s0";
    return lacks ? -1 : World::NearIsFast(cell, relation);
  };
  world.Screen();
  const Decision decision =
      MakeDecision(world.machine, {"gpu:0000:53:00.0 0000:4f:00.0 0000:50:00.0"});
  const Evidence evidence(world.machine, world.census, world.samples, decision, {});
  const auto dimensions = evidence.JudgedDimensions(decision.assignments[0]);
  ASSERT_EQ(dimensions.size(), 2u);
  EXPECT_EQ(dimensions[0].operation, Operation::kRead);
  const MemoryPlace gpu = decision.assignments[0].consumer;
  EXPECT_TRUE(evidence.Worst(Pci("0000:4f:00.0"), gpu, dimensions));
  EXPECT_FALSE(evidence.Worst(Pci("0000:50:00.0"), gpu, {{Operation::kWrite, {}}}));
  EXPECT_FALSE(evidence.Worst(Pci("0000:4f:00.0"), gpu, {})) << "over nothing there is no least";
}

TEST(EvidenceTest, IdleAndNearRivalsComeFirst) {
  World world(MakeP5());
  world.speed = [](const Cell&, Relation) { return 12.5e9; };
  world.Screen();
  const Decision decision = MakeDecision(
      world.machine, {"gpu:0000:53:00.0 0000:c6:00.0", "gpu:0000:64:00.0 0000:4f:00.0"});
  const Evidence evidence(world.machine, world.census, world.samples, decision, {});
  const std::vector<Rival> rivals =
      evidence.RivalsOf(decision.assignments[0], Pci("0000:c6:00.0"), kRead);
  ASSERT_EQ(rivals.size(), 31u);
  EXPECT_EQ(rivals[0].cell->cell.nic.address, Pci("0000:50:00.0"));
  EXPECT_TRUE(rivals[0].idle && rivals[0].free);
  // The one that the other GPU uses: an exchange gains nothing where all are alike.
  EXPECT_EQ(rivals.back().cell->cell.nic.address, Pci("0000:4f:00.0"));
  EXPECT_FALSE(rivals.back().free);
}

TEST(EvidenceTest, AnExchangeThatGainsMakesAUsedNicFree) {
  World world(MakeP4d());
  world.Screen();
  const Decision decision = MakeDecision(
      world.machine, {"gpu:0000:10:1c.0 0000:90:1b.0", "gpu:0000:90:1c.0 0000:10:1b.0"});
  const Evidence evidence(world.machine, world.census, world.samples, decision, {});
  const std::vector<Rival> rivals =
      evidence.RivalsOf(decision.assignments[0], Pci("0000:90:1b.0"), kRead);
  ASSERT_FALSE(rivals.empty());
  EXPECT_EQ(rivals[0].cell->cell.nic.address, Pci("0000:10:1b.0"));
  EXPECT_TRUE(rivals[0].free);
  EXPECT_FALSE(rivals[0].idle);
}

// The rival in the place of 0000:4f:00.0 at GPU 53, in READ to_memory, if it is one.
const Rival* FindRival(const std::vector<Rival>& rivals, const PciAddress& nic) {
  for (const Rival& rival : rivals) {
    if (rival.cell->cell.nic.address == nic) return &rival;
  }
  return nullptr;
}

TEST(EvidenceTest, WhatIsSurelyWorseInOneDimensionIsNoRival) {
  World world(MakeP5());
  const PciAddress half = Pci("0000:50:00.0");
  world.speed = [=](const Cell& cell, Relation) {
    if (cell.nic.address != half) return 10e9;
    return cell.operation == Operation::kRead ? 20e9 : 5e9;
  };
  const Decision decision = MakeDecision(world.machine, {"gpu:0000:53:00.0 0000:4f:00.0"});
  const auto rivals = [&] {
    const Evidence evidence(world.machine, world.census, world.samples, decision, {});
    std::vector<Rival> all = evidence.RivalsOf(decision.assignments[0], Pci("0000:4f:00.0"), kRead);
    const Rival* found = FindRival(all, half);
    return found == nullptr ? std::optional<Reserve>() : found->reserve;
  };
  world.Screen();
  EXPECT_EQ(rivals(), Reserve::kOtherDimension) << "one window each, unlike its class";
  world.Screen();
  world.Screen();
  EXPECT_EQ(rivals(), std::nullopt);
}

// What a user of the rival would lose hangs on one window that is unlike its class.
TEST(EvidenceTest, ASingleWindowDoesNotDecideAnExchange) {
  World world(MakeP4d());
  const Decision decision = MakeDecision(
      world.machine, {"gpu:0000:10:1c.0 0000:90:1b.0", "gpu:0000:90:1c.0 0000:10:1b.0"});
  world.speed = [](const Cell& cell, Relation relation) {
    const bool odd =
        cell.nic.address == Pci("0000:90:1b.0") && cell.place.ToString() == "gpu:0000:90:1c.0";
    return odd ? 0.6e9 : World::NearIsFast(cell, relation);
  };
  world.Screen();
  const auto rival_of = [&] {
    const Evidence evidence(world.machine, world.census, world.samples, decision, {});
    return *FindRival(evidence.RivalsOf(decision.assignments[0], Pci("0000:90:1b.0"), kRead),
                      Pci("0000:10:1b.0"));
  };
  EXPECT_EQ(rival_of().reserve, Reserve::kExchange);
  world.Screen();
  world.Screen();
  // 6.25 and 6.25 GB/s for 12.5 and 0.6: no gain.
  EXPECT_EQ(rival_of().reserve, Reserve::kNone);
  EXPECT_FALSE(rival_of().free);
}

}  // namespace
}  // namespace railgauge
