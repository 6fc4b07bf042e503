#include "lib/scenario/pci_tree.h"

#include "gtest/gtest.h"
#include "lib/scenario/small_scenario_testutil.h"

namespace railgauge {
namespace {

TEST(PciTreeTest, ATreeIsExpandedBelowEachHostBridge) {
  const EmulatedMachine machine = LoadText(kSmallScenario);
  ASSERT_EQ(machine.host_bridges.size(), 3u);
  const EmulatedHostBridge& second = machine.host_bridges[1];
  EXPECT_EQ(second.bus, 0x20);
  EXPECT_EQ(second.subordinate_bus, 0x23);
  EXPECT_EQ(second.numa_node, 1u);
  ASSERT_EQ(second.children.size(), 1u);
  const EmulatedPciDevice& root_port = second.children[0];
  EXPECT_EQ(root_port.address, Address("0000:20:00.0"));
  EXPECT_EQ(root_port.secondary_bus, 0x21);
  EXPECT_EQ(root_port.subordinate_bus, 0x23);
  ASSERT_EQ(root_port.children.size(), 2u);
  ASSERT_EQ(root_port.children[1].children.size(), 1u);
  EXPECT_EQ(root_port.children[1].children[0].address, Address("0000:23:00.0"));
  EXPECT_EQ(root_port.children[1].children[0].kind, EmulatedPciDevice::Kind::kGpu);
}

TEST(PciTreeTest, NicsAndGpusComeInOrderOfAddress) {
  const EmulatedMachine machine = LoadText(kSmallScenario);
  ASSERT_EQ(machine.nics.size(), 3u);
  EXPECT_EQ(machine.nics[0].name, "rdmap18s0");
  EXPECT_EQ(machine.nics[1].name, "rdmap34s0");
  EXPECT_EQ(machine.nics[2].name, "rdmap48s1");
  EXPECT_EQ(machine.nics[2].node_guid, "0200:0000:0030:0100");
  EXPECT_EQ(machine.nics[2].gid, "fe80:0000:0000:0000:0200:0000:0030:0100");
  ASSERT_EQ(machine.gpus.size(), 2u);
  EXPECT_EQ(machine.gpus[0].address, Address("0000:13:00.0"));
}

TEST(PciTreeTest, SeveralHostBridgesMayBeOneItem) {
  const std::string yaml =
      SmallScenarioWith("host_bridges:\n",
                        "host_bridges:\n  - {at: [\"0001:10\", \"0002:10\"], numa_node: 0, "
                        "functions: [{function: gpu, at: +0:1c.0}]}\n");
  const EmulatedMachine machine = LoadText(yaml);
  EXPECT_EQ(machine.host_bridges.size(), 5u);
  EXPECT_EQ(machine.gpus.size(), 4u);
  EXPECT_EQ(machine.gpus[2].address, Address("0001:10:1c.0"));
  EXPECT_EQ(machine.gpus[3].address, Address("0002:10:1c.0"));
}

TEST(PciTreeTest, AnInterfaceIsNamedByPatternOrByItself) {
  const auto interface_of = [](const EmulatedMachine& machine) {
    return machine.host_bridges[2].children[2].network_interface;
  };
  EXPECT_EQ(interface_of(LoadText(kSmallScenario)), "enp48s3");
  EXPECT_EQ(interface_of(LoadText(SmallScenarioWith("{function: ena, at: +0:03.0}",
                                                    "{function: ena, at: +0:03.0, name: ens5}"))),
            "ens5");
}

}  // namespace
}  // namespace railgauge
