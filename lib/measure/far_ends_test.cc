#include "lib/measure/far_ends.h"

#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "lib/topology/machine_testutil.h"
#include "lib/topology/relation.h"

namespace railgauge {
namespace {

std::vector<PciAddress> AllGpus(const Machine& machine) {
  std::vector<PciAddress> gpus;
  for (const Gpu& gpu : machine.gpus) gpus.push_back(gpu.position.address);
  return gpus;
}

std::set<PciAddress> PartnersOf(const std::map<PciAddress, FarEnd>& far_ends) {
  std::set<PciAddress> partners;
  for (const auto& [nic, far] : far_ends) partners.insert(far.nic);
  return partners;
}

const PciAddress& TopBridge(const Machine& machine, const PciAddress& nic) {
  return machine.FindNic(nic)->position.bridges.front();
}

TEST(FarEndsTest, OfP5AreAPermutationThatSharesNoUplink) {
  const Machine machine = MakeP5();
  const auto far_ends = ChooseFarEnds(machine, AllGpus(machine));
  ASSERT_EQ(far_ends.size(), 32u);
  EXPECT_EQ(PartnersOf(far_ends).size(), 32u);
  for (const auto& [nic, far] : far_ends) {
    EXPECT_NE(TopBridge(machine, nic), TopBridge(machine, far.nic)) << nic.ToString();
    // Its memory is below the partner's own switch.
    ASSERT_TRUE(far.place.is_gpu());
    EXPECT_EQ(RelationOf(machine, *machine.FindNic(far.nic), far.place).relation,
              Relation::kSameSwitch);
  }
  for (const NicGroup& group : GroupNics(machine)) {
    std::set<PciAddress> switches;
    std::multiset<uint32_t> nodes;
    for (const PciAddress& nic : group.nics) {
      switches.insert(TopBridge(machine, far_ends.at(nic).nic));
      nodes.insert(*machine.FindNic(far_ends.at(nic).nic)->position.numa_node);
    }
    EXPECT_EQ(switches.size(), 4u) << group.name;
    EXPECT_EQ(nodes.count(0), 2u) << group.name;
  }
}

TEST(FarEndsTest, WithoutGpusTheyLieInTheirOwnNodesMemory) {
  const Machine machine = MakeP5();
  for (const auto& [nic, far] : ChooseFarEnds(machine, {})) {
    EXPECT_EQ(far.place, MemoryPlace::NumaNode(*machine.FindNic(far.nic)->position.numa_node));
  }
}

TEST(FarEndsTest, HostBridgesAreNoSwitches) {
  const Machine machine = MakeP4d();
  const auto far_ends = ChooseFarEnds(machine, AllGpus(machine));
  ASSERT_EQ(far_ends.size(), 4u);
  EXPECT_EQ(PartnersOf(far_ends).size(), 4u);
  for (const auto& [nic, far] : far_ends) {
    EXPECT_NE(nic, far.nic);
    EXPECT_TRUE(far.place.is_host());
  }
}

TEST(FarEndsTest, TheOnlyNicIsItsOwnPartner) {
  const Machine machine = MakeG6();
  const auto far_ends = ChooseFarEnds(machine, AllGpus(machine));
  ASSERT_EQ(far_ends.size(), 1u);
  EXPECT_EQ(far_ends.begin()->first, far_ends.begin()->second.nic);
}

// A switch that lost NICs: distinct partners are still found where they exist.
TEST(FarEndsTest, UnequalGroups) {
  Machine machine = MakeP5();
  machine.nics.erase(machine.nics.begin(), machine.nics.begin() + 3);
  const auto far_ends = ChooseFarEnds(machine, AllGpus(machine));
  ASSERT_EQ(far_ends.size(), 29u);
  EXPECT_EQ(PartnersOf(far_ends).size(), 29u);
  for (const auto& [nic, far] : far_ends) EXPECT_NE(nic, far.nic);
}

TEST(FarEndsTest, NoMemoryNoFarEnd) {
  Machine machine = MakeP4d();
  for (NumaNode& node : machine.numa_nodes) node.memory = Bytes{0};
  EXPECT_TRUE(ChooseFarEnds(machine, {}).empty());
}

}  // namespace
}  // namespace railgauge
