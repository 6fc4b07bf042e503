#include "lib/placement/sharing.h"

#include "gtest/gtest.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

const MemoryPlace kGpu0 = MemoryPlace::Gpu({0, 0x53, 0, 0});
const MemoryPlace kGpu1 = MemoryPlace::Gpu({0, 0x64, 0, 0});

std::optional<SharingRelief> ReliefIn(const World& world,
                                      const std::set<PciAddress>& promised = {}) {
  const Decision decision = MakeDecision(
      world.machine, {"gpu:0000:53:00.0 0000:4f:00.0", "gpu:0000:64:00.0 0000:4f:00.0"});
  const Evidence evidence(world.machine, world.census, world.samples, decision, {});
  return FindRelief(evidence, {kGpu0, kGpu1}, {world.nic("0000:4f:00.0")}, promised);
}

TEST(SharingTest, TheFarUserMovesToItsOwnSwitch) {
  World world(MakeP5());
  world.speed = [](const Cell&, Relation relation) {
    return relation == Relation::kSameSwitch ? 12.5e9 : 10e9;
  };
  world.Screen();
  const auto relief = ReliefIn(world);
  ASSERT_TRUE(relief);
  EXPECT_TRUE(relief->sure);
  EXPECT_EQ(relief->mover, kGpu1);
  EXPECT_EQ(relief->idle, std::vector{world.nic("0000:60:00.0")});
  EXPECT_EQ(ReliefIn(world, {Pci("0000:60:00.0")})->idle, std::vector{world.nic("0000:61:00.0")});
}

TEST(SharingTest, HalfAFastNicIsBetterThanASlowOne) {
  World world(MakeP5());
  world.speed = [](const Cell& cell, Relation) {
    return cell.nic.address == PciAddress{0, 0x4f, 0, 0} ? 12.5e9 : 5e9;
  };
  world.Screen();
  EXPECT_FALSE(ReliefIn(world));
}

// One window of a slow idle NIC is far too fast, as its class shows.
TEST(SharingTest, SingleWindowsAreNotSure) {
  World world(MakeP5());
  bool first = true;
  world.speed = [&first](const Cell& cell, Relation relation) {
    if (cell.nic.address == PciAddress{0, 0x4f, 0, 0}) return 12.5e9;
    if (relation == Relation::kSameSwitch) return 5e9;
    return cell.nic.address == PciAddress{0, 0xc6, 0, 0} && first ? 8e9 : 5e9;
  };
  world.Screen();
  const auto relief = ReliefIn(world);
  ASSERT_TRUE(relief);
  EXPECT_FALSE(relief->sure);
  EXPECT_EQ(relief->idle, std::vector{world.nic("0000:c6:00.0")});
  first = false;
  world.Screen();
  world.Screen();
  EXPECT_FALSE(ReliefIn(world)) << "it was one window of three";
}

TEST(SharingTest, UnmeasuredIdleNicsCountByRelation) {
  World world(MakeP5());
  const auto relief = ReliefIn(world);
  ASSERT_TRUE(relief);
  EXPECT_EQ(relief->mover, kGpu1);
}

TEST(SharingTest, NoIdleNicNoRelief) {
  World world(MakeP5());
  world.machine.nics.resize(1);
  EXPECT_FALSE(ReliefIn(world));
}

TEST(SharingTest, ANicThatGivesNothingIsLeftForAnyThatGivesSomething) {
  World world(MakeP5());
  world.speed = [](const Cell& cell, Relation) {
    return cell.nic.address == PciAddress{0, 0x4f, 0, 0} ? 0.0 : 5e9;
  };
  world.Screen();
  EXPECT_TRUE(ReliefIn(world));
}

}  // namespace
}  // namespace railgauge
