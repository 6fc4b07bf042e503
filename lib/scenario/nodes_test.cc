#include "lib/scenario/nodes.h"

#include <gtest/gtest.h>

#include <set>

#include "lib/scenario/small_scenario_testutil.h"

namespace railgauge {
namespace {

TEST(NodesTest, OnlyWhatIdentifiesDiffers) {
  const EmulatedMachine machine = LoadText(kSmallScenario);
  std::set<std::string> gids, guids;
  for (uint32_t node = 0; node < kMaxNodes; ++node) {
    const EmulatedMachine other = MachineOfNode(machine, node);
    ASSERT_EQ(other.nics.size(), machine.nics.size());
    for (size_t i = 0; i < machine.nics.size(); ++i) {
      EXPECT_EQ(other.nics[i].name, machine.nics[i].name);
      EXPECT_EQ(other.nics[i].address, machine.nics[i].address);
      EXPECT_EQ(other.nics[i].gid.size(), machine.nics[i].gid.size());
      EXPECT_TRUE(gids.insert(other.nics[i].gid).second) << other.nics[i].gid;
      EXPECT_TRUE(guids.insert(other.nics[i].node_guid).second) << other.nics[i].node_guid;
    }
  }
}

TEST(NodesTest, NodeZeroIsTheMachineItself) {
  const EmulatedMachine machine = LoadText(kSmallScenario);
  const EmulatedMachine zero = MachineOfNode(machine, 0);
  EXPECT_EQ(zero.nics[0].gid, machine.nics[0].gid);
  EXPECT_EQ(MachineOfNode(machine, 1).nics[2].gid, "fe80:0000:0000:0000:0200:0000:0130:0100");
}

}  // namespace
}  // namespace railgauge
