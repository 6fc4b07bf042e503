#include "lib/measure/roles.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(RolesTest, TheNicInitiatesWhereItsOwnHalfIsTheInitiators) {
  EXPECT_TRUE(NicInitiates(Operation::kRead, Direction::kToMemory));
  EXPECT_FALSE(NicInitiates(Operation::kRead, Direction::kFromMemory));
  EXPECT_TRUE(NicInitiates(Operation::kWrite, Direction::kFromMemory));
  EXPECT_FALSE(NicInitiates(Operation::kWrite, Direction::kToMemory));
}

TEST(RolesTest, ThePartnersMemoryIsOfItsOwnNode) {
  Machine machine;
  machine.numa_nodes = {{0, Bytes{1 << 30}, {}}, {1, Bytes{1 << 30}, {}}, {2, Bytes{0}, {}}};
  Nic nic;
  nic.position.numa_node = 1;
  EXPECT_EQ(PartnerPlace(machine, nic), MemoryPlace::NumaNode(1));
  nic.position.numa_node = 2;  // no memory there
  EXPECT_EQ(PartnerPlace(machine, nic), MemoryPlace::NumaNode(0));
  nic.position.numa_node = std::nullopt;
  EXPECT_EQ(PartnerPlace(machine, nic), MemoryPlace::NumaNode(0));
  machine.numa_nodes.clear();
  EXPECT_FALSE(PartnerPlace(machine, nic));
}

}  // namespace
}  // namespace railgauge
