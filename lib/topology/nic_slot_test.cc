#include "lib/topology/nic_slot.h"

#include <algorithm>
#include <set>

#include "gtest/gtest.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

std::set<std::string> Names(const Machine& machine) {
  std::set<std::string> names;
  for (const auto& [address, slot] : NicSlots(machine)) names.insert(slot);
  return names;
}

TEST(NicSlotTest, IsThePathDownFromTheHostBridge) {
  const auto slots = NicSlots(MakeP5());
  EXPECT_EQ(slots.at(Pci("0000:4f:00.0")), "0/00.0/00.0/01.0/00.0");
  EXPECT_EQ(slots.at(Pci("0000:52:00.0")), "0/00.0/00.0/01.3/00.0");
  EXPECT_EQ(slots.at(Pci("0000:c9:00.0")), "7/00.0/00.0/01.3/00.0");
  EXPECT_EQ(NicSlots(MakeP4d()).at(MakeP4d().nics[1].position.address).substr(0, 2), "1/");
}

TEST(NicSlotTest, EveryNicHasItsOwn) {
  for (const Machine& machine : {MakeP5(), MakeP4d(), MakeG6(), MakeG5()}) {
    EXPECT_EQ(Names(machine).size(), machine.nics.size()) << machine.instance_type;
  }
}

// A missing NIC leaves the others where they are, although later buses may be numbered anew.
TEST(NicSlotTest, AMissingNicShiftsNoOther) {
  Machine machine = MakeP5();
  std::set<std::string> expected = Names(machine);
  expected.erase("1/00.0/00.0/01.1/00.0");
  machine.nics.erase(machine.nics.begin() + 5);
  for (size_t i = 5; i < machine.nics.size(); ++i) --machine.nics[i].position.address.bus;
  EXPECT_EQ(Names(machine), expected);
}

TEST(NicSlotTest, OtherBusNumbersAreTheSameSlots) {
  Machine machine = MakeP5();
  const std::set<std::string> before = Names(machine);
  for (Nic& nic : machine.nics) nic.position.host_bridge.replace(0, 4, "0001");
  for (Gpu& gpu : machine.gpus) gpu.position.host_bridge.replace(0, 4, "0001");
  for (Nic& nic : machine.nics) {
    nic.position.address.domain = 1;
    for (PciAddress& bridge : nic.position.bridges) bridge.bus = 9;
  }
  EXPECT_EQ(Names(machine), before);
}

TEST(NicSlotTest, HiddenPciGivesOrder) {
  Machine machine = MakeP5();
  for (Nic& nic : machine.nics) nic.position.host_bridge.clear();
  EXPECT_EQ(NicSlots(machine).at(Pci("0000:50:00.0")), "nic1");
  EXPECT_EQ(Names(machine).size(), 32u);
}

TEST(NicSlotTest, HiddenBridgesGiveNoNameTwice) {
  Machine machine = MakeP5();
  for (Nic& nic : machine.nics) nic.position.bridges.clear();
  EXPECT_EQ(NicSlots(machine).at(Pci("0000:50:00.0")), "0/00.0#2");
  EXPECT_EQ(Names(machine).size(), 32u);
}

}  // namespace
}  // namespace railgauge
