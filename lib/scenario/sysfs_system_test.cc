#include "lib/scenario/sysfs_system.h"

#include "gtest/gtest.h"
#include "lib/base/file.h"
#include "lib/scenario/seen_machine_testutil.h"

namespace railgauge {
namespace {

EmulatedMachine TwoNodes() {
  EmulatedMachine machine;
  machine.numa_nodes.resize(2);
  machine.numa_nodes[0].index = 0;
  machine.numa_nodes[0].cpus = {0, 1, 34};
  machine.numa_nodes[1].index = 3;
  machine.numa_nodes[1].cpus = {2, 3};
  return machine;
}

TEST(SysfsSystemTest, CpuLists) {
  EXPECT_EQ(FormatCpuList({}), "");
  EXPECT_EQ(FormatCpuList({5}), "5");
  EXPECT_EQ(FormatCpuList({0, 1, 2, 7, 9, 10}), "0-2,7,9-10");
}

TEST(SysfsSystemTest, CpuMasksHaveTheMachinesWidth) {
  EXPECT_EQ(FormatCpuMask(TwoNodes(), {0, 1, 34}), "00000004,00000003");
  EXPECT_EQ(FormatCpuMask(TwoNodes(), {}), "00000000,00000000");
  EXPECT_EQ(FormatCpuMask(TwoNodes(), {31}), "00000000,80000000");
}

TEST(SysfsSystemTest, AnAarch64MachinesCpuInfoIsAnotherOne) {
  const TreeFolder folder;
  EmulatedMachine machine = TwoNodes();
  machine.arm_cpu = "41:d4f";
  FileTree tree(folder.path().string());
  WriteCpuInfo(machine, &tree);
  ASSERT_TRUE(tree.status());
  const std::string cpuinfo = ReadFile((folder.path() / "proc/cpuinfo").string()).value();
  EXPECT_NE(cpuinfo.find("processor\t: 34\n"), std::string::npos) << cpuinfo;
  EXPECT_NE(cpuinfo.find("CPU implementer\t: 0x41\n"), std::string::npos) << cpuinfo;
  EXPECT_NE(cpuinfo.find("CPU part\t: 0xd4f\n"), std::string::npos) << cpuinfo;
  EXPECT_EQ(cpuinfo.find("model name"), std::string::npos) << cpuinfo;
}

TEST(SysfsSystemTest, AnUnknownNodeIsNearEveryCpu) {
  EXPECT_EQ(CpusOfNode(TwoNodes(), 3), (std::vector<uint32_t>{2, 3}));
  EXPECT_EQ(CpusOfNode(TwoNodes(), std::nullopt), (std::vector<uint32_t>{0, 1, 2, 3, 34}));
}

}  // namespace
}  // namespace railgauge
