#include "lib/topology/machine.h"

#include <string>

#include "gtest/gtest.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

TEST(MachineTest, FindsByKeyOrReturnsNull) {
  const Machine machine = MakeP5();
  ASSERT_NE(machine.FindNic(Pci("0000:4f:00.0")), nullptr);
  EXPECT_EQ(machine.FindNic(Pci("0000:4f:00.0"))->name, "rdmap79s0");
  ASSERT_NE(machine.FindGpu(Pci("0000:53:00.0")), nullptr);
  EXPECT_EQ(machine.FindGpu(Pci("0000:53:00.0"))->position.host_bridge, "0000:44");
  ASSERT_NE(machine.FindNumaNode(1), nullptr);
  EXPECT_EQ(machine.FindNumaNode(1)->os_index, 1u);

  EXPECT_EQ(machine.FindNic(Pci("0000:53:00.0")), nullptr) << "a GPU is no NIC";
  EXPECT_EQ(machine.FindGpu(Pci("0000:4f:00.0")), nullptr) << "a NIC is no GPU";
  EXPECT_EQ(machine.FindNic(Pci("0001:4f:00.0")), nullptr) << "the domain counts";
  EXPECT_EQ(machine.FindNumaNode(2), nullptr);
}

TEST(MachineTest, PlacesAreNodesWithMemoryThenGpus) {
  Machine machine = MakeP4d();
  machine.numa_nodes.push_back({2, Bytes{0}, {}});  // as on GB200
  const std::vector<MemoryPlace> places = machine.Places();
  ASSERT_EQ(places.size(), 10u);
  EXPECT_EQ(places[0].ToString(), "numa0");
  EXPECT_EQ(places[1].ToString(), "numa1");
  EXPECT_EQ(places[2].ToString(), "gpu:0000:10:1c.0");
  EXPECT_EQ(places[9].ToString(), "gpu:0000:a0:1d.0");
}

TEST(MachineTest, HiddenPciAndMissingNicAreDifferentErrors) {
  EXPECT_TRUE(MakeP5().CheckHasNics());

  Machine machine = MakeHost(1);
  Status hidden = machine.CheckHasNics();
  ASSERT_FALSE(hidden);
  EXPECT_NE(hidden.error().ToString().find("no PCI devices"), std::string::npos);

  machine.shows_pci = true;
  Status none = machine.CheckHasNics();
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().ToString().find("no EFA device"), std::string::npos);
  EXPECT_EQ(none.error().ToString().find('\n'), std::string::npos);
}

}  // namespace
}  // namespace railgauge
