#include "lib/scenario/location.h"

#include "gtest/gtest.h"
#include "lib/scenario/small_scenario_testutil.h"

namespace railgauge {
namespace {

TEST(PciLocationsTest, BridgesAreListedFromTheRootPortDown) {
  const PciLocations locations(LoadText(kSmallScenario));
  const PciLocation& below = locations.Of(Address("0000:22:00.0"));
  EXPECT_EQ(below.bridges,
            (std::vector<PciAddress>{Address("0000:20:00.0"), Address("0000:21:00.0")}));
  EXPECT_EQ(below.numa_node, 1u);
  EXPECT_EQ(below.Uplink(), "0000:20:00.0");
  EXPECT_EQ(locations.Of(Address("0000:30:01.0")).Uplink(), "0000:30");
}

TEST(PciLocationsTest, Relations) {
  const PciLocations locations(LoadText(kSmallScenario));
  const auto relation = [&](const char* nic, const MemoryPlace& place) {
    return locations.RelationOf(Address(nic), place);
  };
  EXPECT_EQ(relation("0000:12:00.0", GpuAt("0000:13:00.0")), Relation::kSameSwitch);
  EXPECT_EQ(relation("0000:12:00.0", GpuAt("0000:23:00.0")), Relation::kOtherNumaNode);
  EXPECT_EQ(relation("0000:30:01.0", GpuAt("0000:23:00.0")), Relation::kSameNumaNode);
  EXPECT_EQ(relation("0000:12:00.0", MemoryPlace::NumaNode(0)), Relation::kSameNumaNode);
  EXPECT_EQ(relation("0000:12:00.0", MemoryPlace::NumaNode(1)), Relation::kOtherNumaNode);
}

TEST(PciLocationsTest, SharingOnlyTheHostBridgeIsARelationOfItsOwn) {
  const std::string yaml =
      SmallScenarioWith("{function: disk, at: +0:02.0}", "{function: gpu, at: +0:02.0}");
  const PciLocations locations(
      LoadText(Replaced(yaml, "paths:\n", "paths:\n  - {to_memory: 1GB/s, from_memory: 1GB/s}\n")));
  EXPECT_EQ(locations.RelationOf(Address("0000:30:01.0"), GpuAt("0000:30:02.0")),
            Relation::kSameHostBridge);
}

TEST(PciLocationsTest, AFlatTreeTellsNothing) {
  EmulatedMachine machine = LoadText(kSmallScenario);
  machine.host_bridges = {machine.host_bridges[2]};  // the one without bridges, on node 1
  std::erase_if(machine.nics, [](const EmulatedNic& nic) { return nic.address.bus != 0x30; });
  machine.gpus.clear();
  const auto relation = [&] {
    return PciLocations(machine).RelationOf(Address("0000:30:01.0"), MemoryPlace::NumaNode(1));
  };
  EXPECT_EQ(relation(), Relation::kSameNumaNode) << "it shows its node";
  machine.host_bridges[0].numa_node = std::nullopt;
  machine.gpus.resize(1);
  machine.gpus[0].address = Address("0000:30:02.0");
  EXPECT_EQ(relation(), Relation::kUnknown);
  EXPECT_EQ(PciLocations(machine).RelationOf(Address("0000:30:01.0"), GpuAt("0000:30:02.0")),
            Relation::kUnknown)
      << "being on the one bus is no nearness";
}

TEST(PciLocationsTest, AnUnknownNumaNodeMakesUnknownRelations) {
  const std::string yaml =
      SmallScenarioWith("\"0000:30\"\n    numa_node: 1", "\"0000:30\"\n    numa_node: unknown");
  const PciLocations locations(LoadText(
      Replaced(yaml, "places: gpus, relation: same_numa_node", "places: gpus, relation: unknown")));
  EXPECT_EQ(locations.RelationOf(Address("0000:30:01.0"), MemoryPlace::NumaNode(0)),
            Relation::kUnknown);
  EXPECT_EQ(locations.RelationOf(Address("0000:30:01.0"), GpuAt("0000:13:00.0")),
            Relation::kUnknown);
}

}  // namespace
}  // namespace railgauge
