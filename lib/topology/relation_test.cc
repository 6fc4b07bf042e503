#include "lib/topology/relation.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

RelationResult ToGpu(const Machine& machine, std::string_view nic, std::string_view gpu) {
  return RelationOf(machine, *machine.FindNic(Pci(nic)), MemoryPlace::Gpu(Pci(gpu)));
}

RelationResult ToNode(const Machine& machine, std::string_view nic, uint32_t node) {
  return RelationOf(machine, *machine.FindNic(Pci(nic)), MemoryPlace::NumaNode(node));
}

TEST(RelationTest, SameSwitch) {
  const RelationResult r = ToGpu(MakeP5(), "0000:4f:00.0", "0000:53:00.0");
  EXPECT_EQ(r.relation, Relation::kSameSwitch);
  EXPECT_EQ(r.pci_path, "0000:4f:00.0 < 0000:46:01.0 < 0000:45:00.0 > 0000:46:01.4 > 0000:53:00.0");
  EXPECT_EQ(r.hops, 3);
}

TEST(RelationTest, OtherSwitchOfTheSameNodeIsNotTheSameSwitch) {
  const RelationResult r = ToGpu(MakeP5(), "0000:4f:00.0", "0000:64:00.0");
  EXPECT_EQ(r.relation, Relation::kSameNumaNode);
  EXPECT_EQ(r.pci_path,
            "0000:4f:00.0 < 0000:46:01.0 < 0000:45:00.0 < 0000:44:00.0 < 0000:44 < numa0"
            " > 0000:55 > 0000:55:00.0 > 0000:56:00.0 > 0000:57:01.4 > 0000:64:00.0");
  EXPECT_EQ(r.hops, 8);
}

TEST(RelationTest, OtherNumaNode) {
  const RelationResult r = ToGpu(MakeP4d(), "0000:10:1b.0", "0000:90:1c.0");
  EXPECT_EQ(r.relation, Relation::kOtherNumaNode);
  EXPECT_EQ(r.pci_path, "0000:10:1b.0 < 0000:10 < numa0 = numa1 > 0000:90 > 0000:90:1c.0");
  EXPECT_EQ(r.hops, 2);
}

TEST(RelationTest, HostBridgesAreTheGroupsWhereNoBridgesAreShown) {
  const Machine p4d = MakeP4d();
  const RelationResult r = ToGpu(p4d, "0000:10:1b.0", "0000:10:1d.0");
  EXPECT_EQ(r.relation, Relation::kSameHostBridge);
  EXPECT_EQ(r.pci_path, "0000:10:1b.0 < 0000:10 > 0000:10:1d.0");
  EXPECT_EQ(r.hops, 1);
  // The same number of hops apart, and yet farther: the relation is what is compared first.
  EXPECT_EQ(ToGpu(p4d, "0000:10:1b.0", "0000:20:1c.0").relation, Relation::kSameNumaNode);
  EXPECT_EQ(ToGpu(p4d, "0000:10:1b.0", "0000:20:1c.0").hops,
            ToGpu(p4d, "0000:10:1b.0", "0000:90:1c.0").hops);
}

TEST(RelationTest, HostMemoryKnowsOnlyNodes) {
  const Machine p5 = MakeP5();
  const RelationResult same = ToNode(p5, "0000:93:00.0", 1);
  EXPECT_EQ(same.relation, Relation::kSameNumaNode);
  EXPECT_EQ(same.pci_path,
            "0000:93:00.0 < 0000:8a:01.0 < 0000:89:00.0 < 0000:88:00.0 < 0000:88 < numa1");
  EXPECT_EQ(same.hops, 4);
  const RelationResult other = ToNode(p5, "0000:93:00.0", 0);
  EXPECT_EQ(other.relation, Relation::kOtherNumaNode);
  EXPECT_EQ(other.pci_path,
            "0000:93:00.0 < 0000:8a:01.0 < 0000:89:00.0 < 0000:88:00.0 < 0000:88 < numa1 = numa0");
}

TEST(RelationTest, EveryPairOfP5) {
  const Machine p5 = MakeP5();
  std::map<Relation, int> to_gpu;
  std::map<Relation, int> to_node;
  for (const Nic& nic : p5.nics) {
    for (const MemoryPlace& place : p5.Places()) {
      ++(place.is_gpu() ? to_gpu : to_node)[RelationOf(p5, nic, place).relation];
    }
  }
  EXPECT_EQ(to_gpu, (std::map<Relation, int>{{Relation::kSameSwitch, 32},
                                             {Relation::kSameNumaNode, 32 * 3},
                                             {Relation::kOtherNumaNode, 32 * 4}}));
  EXPECT_EQ(to_node, (std::map<Relation, int>{{Relation::kSameNumaNode, 32},
                                              {Relation::kOtherNumaNode, 32}}));
}

TEST(RelationTest, AGpuOnItsOwnRootPortSharesNoSwitch) {
  const Machine g6 = MakeG6();
  EXPECT_EQ(ToGpu(g6, "0000:96:00.0", "0000:9f:00.0").relation, Relation::kSameNumaNode);
  EXPECT_EQ(ToGpu(g6, "0000:96:00.0", "0000:ae:00.0").relation, Relation::kOtherNumaNode);
}

TEST(RelationTest, RootPortsOfOneHostBridgeAreNoSwitch) {
  Machine machine = MakeHost(1);
  machine.shows_pci = true;
  machine.nics = {MakeNic("0000:01:00.0", "0000:00", {"0000:00:01.0"}, 0)};
  machine.gpus = {MakeGpu("0000:02:00.0", "0000:00", {"0000:00:02.0"}, 0)};
  const RelationResult r = ToGpu(machine, "0000:01:00.0", "0000:02:00.0");
  EXPECT_EQ(r.relation, Relation::kSameHostBridge);
  EXPECT_EQ(r.pci_path, "0000:01:00.0 < 0000:00:01.0 < 0000:00 > 0000:00:02.0 > 0000:02:00.0");
  EXPECT_EQ(r.hops, 3);
}

TEST(RelationTest, ARootPortAloneCountsAsTheSwitchBelowIt) {
  Machine machine = MakeHost(1);
  machine.shows_pci = true;
  machine.nics = {MakeNic("0000:01:00.0", "0000:00", {"0000:00:01.0"}, 0)};
  machine.gpus = {MakeGpu("0000:01:01.0", "0000:00", {"0000:00:01.0"}, 0)};
  const RelationResult r = ToGpu(machine, "0000:01:00.0", "0000:01:01.0");
  EXPECT_EQ(r.relation, Relation::kSameSwitch);
  EXPECT_EQ(r.pci_path, "0000:01:00.0 < 0000:00:01.0 > 0000:01:01.0");
  EXPECT_EQ(r.hops, 1);
}

TEST(RelationTest, CascadedSwitchesAreOneGroupAndHopsTellThemApart) {
  Machine machine = MakeHost(1);
  machine.shows_pci = true;
  machine.nics = {
      MakeNic("0000:05:00.0", "0000:00", {"0000:00:01.0", "0000:01:00.0", "0000:02:00.0"}, 0)};
  machine.gpus = {
      MakeGpu("0000:06:00.0", "0000:00", {"0000:00:01.0", "0000:01:00.0", "0000:02:01.0"}, 0),
      MakeGpu("0000:09:00.0", "0000:00",
              {"0000:00:01.0", "0000:01:00.0", "0000:02:02.0", "0000:07:00.0", "0000:08:00.0"}, 0)};
  const RelationResult near = ToGpu(machine, "0000:05:00.0", "0000:06:00.0");
  const RelationResult far = ToGpu(machine, "0000:05:00.0", "0000:09:00.0");
  EXPECT_EQ(near.relation, Relation::kSameSwitch);
  EXPECT_EQ(far.relation, Relation::kSameSwitch);
  EXPECT_EQ(near.hops, 3);
  EXPECT_EQ(far.hops, 5);
}

TEST(RelationTest, EqualBusNumbersOfTwoDomainsAreDifferent) {
  Machine machine = MakeHost(2);
  machine.shows_pci = true;
  machine.nics = {MakeNic("0000:02:00.0", "0000:00", {"0000:00:01.0"}, 0)};
  machine.gpus = {MakeGpu("0001:02:00.0", "0001:00", {"0001:00:01.0"}, 1)};
  EXPECT_EQ(ToGpu(machine, "0000:02:00.0", "0001:02:00.0").relation, Relation::kOtherNumaNode);
}

TEST(RelationTest, FlatIsUnknownWhateverElseIsThere) {
  Machine g5 = MakeG5();
  for (const MemoryPlace& place : g5.Places()) {
    const RelationResult r = RelationOf(g5, g5.nics[0], place);
    EXPECT_EQ(r.relation, Relation::kUnknown) << place.ToString();
    EXPECT_EQ(r.pci_path, "");
    EXPECT_EQ(r.hops, 0);
  }
}

TEST(RelationTest, UnknownNodesAreNeverEqual) {
  Machine p4d = MakeP4d();
  for (Nic& nic : p4d.nics) nic.position.numa_node.reset();
  for (Gpu& gpu : p4d.gpus) gpu.position.numa_node.reset();
  EXPECT_EQ(ToGpu(p4d, "0000:10:1b.0", "0000:10:1c.0").relation, Relation::kSameHostBridge);
  EXPECT_EQ(ToGpu(p4d, "0000:10:1b.0", "0000:20:1c.0").relation, Relation::kUnknown);
  EXPECT_EQ(ToNode(p4d, "0000:10:1b.0", 0).relation, Relation::kUnknown);
  EXPECT_EQ(ToNode(p4d, "0000:10:1b.0", 0).pci_path, "");
}

TEST(RelationTest, UnknownHostBridgesAreNeverEqual) {
  Machine machine = MakeHost(2);
  machine.nics = {MakeNic("0000:01:00.0", "", {}, 0)};
  machine.gpus = {MakeGpu("0000:02:00.0", "", {}, 1)};
  const RelationResult r = ToGpu(machine, "0000:01:00.0", "0000:02:00.0");
  EXPECT_EQ(r.relation, Relation::kOtherNumaNode);
  EXPECT_EQ(r.pci_path, "0000:01:00.0 < numa0 = numa1 > 0000:02:00.0");
}

TEST(RelationTest, AGpuThatPciDoesNotShowIsUnknown) {
  EXPECT_EQ(ToGpu(MakeP5(), "0000:4f:00.0", "0000:fe:00.0").relation, Relation::kUnknown);
}

TEST(GroupNicsTest, BySwitchHostBridgeOrFlat) {
  const std::vector<NicGroup> p5 = GroupNics(MakeP5());
  ASSERT_EQ(p5.size(), 8u);
  EXPECT_EQ(p5[0].name, "switch 0000:44:00.0");
  EXPECT_EQ(p5[0].nics, PciList({"0000:4f:00.0", "0000:50:00.0", "0000:51:00.0", "0000:52:00.0"}));
  EXPECT_EQ(p5[7].name, "switch 0000:bb:00.0");

  const std::vector<NicGroup> p4d = GroupNics(MakeP4d());
  ASSERT_EQ(p4d.size(), 4u);
  EXPECT_EQ(p4d[3].name, "host bridge 0000:a0");
  EXPECT_EQ(p4d[3].nics, PciList({"0000:a0:1b.0"}));

  const std::vector<NicGroup> g5 = GroupNics(MakeG5());
  ASSERT_EQ(g5.size(), 1u);
  EXPECT_EQ(g5[0].name, "flat");

  EXPECT_TRUE(GroupNics(MakeHost(2)).empty());
}

TEST(GroupNicsTest, AgreesWithSameSwitch) {
  const Machine p5 = MakeP5();
  for (const NicGroup& group : GroupNics(p5)) {
    for (const Nic& nic : p5.nics) {
      const bool member =
          std::count(group.nics.begin(), group.nics.end(), nic.position.address) == 1;
      for (const Gpu& gpu : p5.gpus) {
        if ("switch " + gpu.position.bridges[0].ToString() != group.name) continue;
        const Relation relation =
            RelationOf(p5, nic, MemoryPlace::Gpu(gpu.position.address)).relation;
        EXPECT_EQ(relation == Relation::kSameSwitch, member);
      }
    }
  }
}

// The partner for measuring host memory of its own node, which lies below no switch.
PciAddress HostPartnerOf(const Machine& machine, const PciAddress& nic) {
  const Nic* own = machine.FindNic(nic);
  const uint32_t node = own == nullptr ? 0 : own->position.numa_node.value_or(0);
  return PartnerOf(machine, nic, MemoryPlace::NumaNode(node));
}

void ExpectPermutation(const Machine& machine) {
  std::set<PciAddress> partners;
  for (const Nic& nic : machine.nics) partners.insert(HostPartnerOf(machine, nic.position.address));
  EXPECT_EQ(partners.size(), machine.nics.size());
}

TEST(PartnerOfTest, OtherSwitchOfTheSameNode) {
  const Machine p5 = MakeP5();
  EXPECT_EQ(HostPartnerOf(p5, Pci("0000:50:00.0")), Pci("0000:61:00.0"));
  EXPECT_EQ(HostPartnerOf(p5, Pci("0000:82:00.0")), Pci("0000:50:00.0"))
      << "the last group goes on with the first's next NIC";
  for (const Nic& nic : p5.nics) {
    const Nic* partner = p5.FindNic(HostPartnerOf(p5, nic.position.address));
    ASSERT_NE(partner, nullptr);
    EXPECT_EQ(partner->position.numa_node, nic.position.numa_node);
    EXPECT_NE(partner->position.bridges[0], nic.position.bridges[0]);
    EXPECT_NE(HostPartnerOf(p5, partner->position.address), nic.position.address);
  }
  ExpectPermutation(p5);
}

TEST(PartnerOfTest, NotBelowTheSwitchOfTheGpuUnderTest) {
  const Machine p5 = MakeP5();
  for (const Nic& nic : p5.nics) {
    for (const Gpu& gpu : p5.gpus) {
      const PciAddress address =
          PartnerOf(p5, nic.position.address, MemoryPlace::Gpu(gpu.position.address));
      const Nic* partner = p5.FindNic(address);
      EXPECT_NE(partner->position.bridges[0], gpu.position.bridges[0]);
      EXPECT_NE(partner->position.bridges[0], nic.position.bridges[0]);
      EXPECT_EQ(partner->position.numa_node, nic.position.numa_node);
    }
  }
}

TEST(PartnerOfTest, OfAnotherNodeRatherThanBesideTheGpuUnderTest) {
  const Machine p4d = MakeP4d();
  const MemoryPlace beside_the_next = MemoryPlace::Gpu(Pci("0000:20:1c.0"));
  ASSERT_NE(p4d.FindGpu(beside_the_next.gpu), nullptr);
  EXPECT_EQ(PartnerOf(p4d, Pci("0000:10:1b.0"), beside_the_next), Pci("0000:90:1b.0"));
}

TEST(PartnerOfTest, SharesWithTheGpuWhenThereIsNoOtherGroup) {
  Machine p4d = MakeP4d();
  p4d.nics.resize(2);
  const MemoryPlace beside_the_other = MemoryPlace::Gpu(Pci("0000:20:1c.0"));
  EXPECT_EQ(PartnerOf(p4d, Pci("0000:10:1b.0"), beside_the_other), Pci("0000:20:1b.0"));
}

TEST(PartnerOfTest, OtherHostBridgeOfTheSameNode) {
  const Machine p4d = MakeP4d();
  EXPECT_EQ(HostPartnerOf(p4d, Pci("0000:10:1b.0")), Pci("0000:20:1b.0"));
  EXPECT_EQ(HostPartnerOf(p4d, Pci("0000:20:1b.0")), Pci("0000:10:1b.0"));
  ExpectPermutation(p4d);
}

TEST(PartnerOfTest, EachOthersPartnersPartAtTheMemoryOfTheOtherNode) {
  const Machine p4d = MakeP4d();
  const auto at_node0 = MemoryPlace::NumaNode(0), at_node1 = MemoryPlace::NumaNode(1);
  EXPECT_EQ(PartnerOf(p4d, Pci("0000:10:1b.0"), at_node1), Pci("0000:90:1b.0"));
  EXPECT_EQ(PartnerOf(p4d, Pci("0000:20:1b.0"), at_node1), Pci("0000:a0:1b.0"));
  EXPECT_EQ(PartnerOf(p4d, Pci("0000:90:1b.0"), at_node0), Pci("0000:10:1b.0"));
  // Where they are not, they stay on their node.
  const Machine p5 = MakeP5();
  EXPECT_EQ(PartnerOf(p5, Pci("0000:50:00.0"), at_node1), Pci("0000:61:00.0"));
}

TEST(PartnerOfTest, LoneGroupsPairAcrossNodes) {
  Machine p4d = MakeP4d();
  p4d.nics.erase(p4d.nics.begin() + 3);
  p4d.nics.erase(p4d.nics.begin() + 1);  // one NIC on each node is left
  EXPECT_EQ(HostPartnerOf(p4d, Pci("0000:10:1b.0")), Pci("0000:90:1b.0"));
  EXPECT_EQ(HostPartnerOf(p4d, Pci("0000:90:1b.0")), Pci("0000:10:1b.0"));
}

TEST(PartnerOfTest, ALoneGroupBorrowsFromAnotherNode) {
  Machine p4d = MakeP4d();
  p4d.nics.pop_back();
  EXPECT_EQ(HostPartnerOf(p4d, Pci("0000:10:1b.0")), Pci("0000:20:1b.0"));
  EXPECT_EQ(HostPartnerOf(p4d, Pci("0000:90:1b.0")), Pci("0000:10:1b.0"));
}

TEST(PartnerOfTest, UnknownNodesUseAllGroups) {
  Machine p4d = MakeP4d();
  for (Nic& nic : p4d.nics) nic.position.numa_node.reset();
  EXPECT_EQ(HostPartnerOf(p4d, Pci("0000:20:1b.0")), Pci("0000:90:1b.0"));
  ExpectPermutation(p4d);
}

TEST(PartnerOfTest, UnequalGroupsStayInRange) {
  Machine p5 = MakeP5();
  p5.nics.erase(p5.nics.begin() + 5);  // 31 of 32: the second switch has three
  for (const Nic& nic : p5.nics) {
    const PciAddress partner = HostPartnerOf(p5, nic.position.address);
    EXPECT_NE(partner, nic.position.address);
    EXPECT_NE(p5.FindNic(partner), nullptr);
  }
  EXPECT_EQ(HostPartnerOf(p5, Pci("0000:52:00.0")), Pci("0000:60:00.0"));
}

TEST(PartnerOfTest, OneGroupUsesItsNeighbours) {
  Machine flat = MakeG5();
  flat.nics.push_back(MakeNic("0000:00:1e.0", "0000:00", {}, std::nullopt));
  flat.nics.push_back(MakeNic("0000:00:1f.0", "0000:00", {}, std::nullopt));
  EXPECT_EQ(HostPartnerOf(flat, Pci("0000:00:15.0")), Pci("0000:00:1e.0"));
  EXPECT_EQ(HostPartnerOf(flat, Pci("0000:00:1f.0")), Pci("0000:00:15.0"));
  ExpectPermutation(flat);
}

TEST(PartnerOfTest, TheOnlyNicIsItsOwnPartner) {
  EXPECT_EQ(HostPartnerOf(MakeG6(), Pci("0000:96:00.0")), Pci("0000:96:00.0"));
}

TEST(PartnerOfDeathTest, AbortsOnAForeignNic) {
  EXPECT_DEATH(HostPartnerOf(MakeG6(), Pci("0000:97:00.0")), "relation.cc");
}

}  // namespace
}  // namespace railgauge
