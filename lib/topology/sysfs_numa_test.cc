#include "lib/topology/sysfs_numa.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

void WriteNode(const std::string& root, const std::string& address, const std::string& content) {
  const std::string directory = root + "/bus/pci/devices/" + address;
  std::filesystem::create_directories(directory);
  std::ofstream(directory + "/numa_node") << content;
}

TEST(SysfsNumaTest, TheAttributeWinsAndMinusOneIsUnknown) {
  const std::string root = ::testing::TempDir() + "/sys";
  WriteNode(root, "0000:10:1b.0", "-1\n");
  WriteNode(root, "0000:20:1b.0", "1\n");
  WriteNode(root, "0000:10:1c.0", "-1\n");
  WriteNode(root, "0000:10:1d.0", "nonsense\n");
  Machine machine = MakeP4d();
  ReadNumaNodesFromSysfs(root, machine);
  EXPECT_EQ(machine.nics[0].position.numa_node, std::nullopt);
  EXPECT_EQ(machine.nics[1].position.numa_node, 1u);
  EXPECT_EQ(machine.nics[2].position.numa_node, 1u) << "no attribute: kept";
  EXPECT_EQ(machine.gpus[0].position.numa_node, std::nullopt);
  EXPECT_EQ(machine.gpus[1].position.numa_node, std::nullopt);
  EXPECT_EQ(machine.gpus[2].position.numa_node, 0u);
}

}  // namespace
}  // namespace railgauge
