#include "lib/placement/capacity.h"

#include "gtest/gtest.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

GroupRow Slowed(std::string load, std::string resource, double sum) {
  GroupRow row;
  row.load = std::move(load);
  row.direction = Direction::kToMemory;
  row.sharing = Sharing::kSlowed;
  row.resource = std::move(resource);
  row.throughput_sum = BytesPerSecond{sum};
  return row;
}

TEST(MeasuredCapacitiesTest, TheMostThatGroupsMovedThroughTheOneThingThatIsNamed) {
  const Machine machine = MakeP5();
  std::vector<GroupRow> groups = {
      Slowed("a", "the memory of numa0", 30e9), Slowed("b", "the memory of numa0", 32e9),
      Slowed("c", "the memory of numa1 or the uplink of switch 0000:44:00.0", 1e9),
      Slowed("d", "within a", 1e9), Slowed("e", "", 1e9)};
  groups.push_back(Slowed("f", "the memory of numa1", 1e9));
  groups.back().sharing = Sharing::kIndependent;
  groups.push_back(Slowed("g", "the memory of numa1", 1e9));
  groups.back().direction.reset();  // both at once: not told apart
  const auto known = MeasuredCapacities(machine, groups);
  ASSERT_EQ(known.size(), 1u);
  EXPECT_EQ(known[0].resource.ToString(), "the memory of numa0");
  EXPECT_EQ(known[0].rate.value, 32e9);
  EXPECT_EQ(known[0].source, "measured by group b");
  EXPECT_EQ(known[0].dimension, (Dimension{Operation::kRead, Direction::kToMemory}));
}

// An uplink is named for each flow, and is one thing.
TEST(MeasuredCapacitiesTest, ALinkNamedTwice) {
  const std::string uplink = "the uplink of switch 0000:44:00.0";
  const std::vector<GroupRow> groups = {Slowed("a", uplink + " or " + uplink, 30e9)};
  EXPECT_EQ(MeasuredCapacities(MakeP5(), groups).size(), 1u);
}

TEST(BoundsTest, WhatCrossesItInItsFlowAndDimension) {
  const Machine machine = MakeP5();
  const NicKey nic = machine.nics.front().key();
  const auto to_node =
      CertainCrossings(machine, nic, MemoryPlace::NumaNode(0), Direction::kToMemory);
  const auto to_gpu =
      CertainCrossings(machine, nic, MemoryPlace::Gpu(Pci("0000:53:00.0")), Direction::kToMemory);
  const Dimension dimension = {Operation::kWrite, Direction::kToMemory};
  KnownCapacity capacity;
  capacity.resource = {Resource::Kind::kNodeMemory, Resource::Flow::kEither, "numa0"};
  EXPECT_TRUE(Bounds(capacity, to_node, dimension));
  EXPECT_FALSE(Bounds(capacity, to_gpu, dimension));
  capacity.resource.flow = Resource::Flow::kFromMemory;
  EXPECT_FALSE(Bounds(capacity, to_node, dimension));
  capacity.resource.flow = Resource::Flow::kToMemory;
  capacity.dimension = dimension;
  EXPECT_TRUE(Bounds(capacity, to_node, dimension));
  capacity.dimension->operation = Operation::kRead;
  EXPECT_FALSE(Bounds(capacity, to_node, dimension));
  // Below one switch the uplink is crossed only if traffic is redirected, which is not known.
  capacity = {{Resource::Kind::kUplink, Resource::Flow::kEither, "0000:44:00.0"}, {}, {}, ""};
  EXPECT_FALSE(Bounds(capacity, to_gpu, dimension));
  EXPECT_TRUE(Bounds(capacity, to_node, dimension));
}

}  // namespace
}  // namespace railgauge
