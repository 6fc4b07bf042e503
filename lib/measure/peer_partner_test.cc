#include "lib/measure/peer_partner.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

std::vector<PeerNic> NicsOf(const Machine& machine) {
  std::vector<PeerNic> nics;
  for (const Nic& nic : machine.nics) {
    nics.push_back({nic.position.address, nic.name, nic.position.numa_node, std::nullopt});
  }
  return nics;
}

TEST(PeerPartnerTest, TheSameSlotWhateverTheOrder) {
  const Machine machine = MakeP5();
  std::vector<PeerNic> there = NicsOf(machine);
  std::reverse(there.begin(), there.end());
  for (const Nic& nic : machine.nics) {
    const PeerPartner partner = PeerPartnerOf(machine, nic, there);
    EXPECT_TRUE(partner.same_slot);
    EXPECT_EQ(there[partner.index].address, nic.position.address);
  }
}

TEST(PeerPartnerTest, WithoutTheSlotTheSamePositionOfTheSameNode) {
  const Machine machine = MakeP5();
  std::vector<PeerNic> there = NicsOf(machine);
  const Nic& last = machine.nics.back();
  there.pop_back();
  const PeerPartner partner = PeerPartnerOf(machine, last, there);
  EXPECT_FALSE(partner.same_slot);
  // Sixteen on its node here and fifteen there: position 15 is position 0.
  EXPECT_EQ(there[partner.index].address, machine.nics[16].position.address);
  EXPECT_EQ(there[partner.index].numa_node, last.position.numa_node);
}

TEST(PeerPartnerTest, AnotherTypeOfMachineHasOneForEach) {
  const Machine machine = MakeP5();
  std::vector<PeerNic> there;
  for (uint8_t i = 0; i < 4; ++i) {
    there.push_back({PciAddress{1, i, 0, 0}, "efa", std::nullopt, std::nullopt});
  }
  for (size_t i = 0; i < machine.nics.size(); ++i) {
    const PeerPartner partner = PeerPartnerOf(machine, machine.nics[i], there);
    EXPECT_FALSE(partner.same_slot);
    EXPECT_EQ(partner.index, i % 4);
  }
}

}  // namespace
}  // namespace railgauge
