#include "lib/scenario/tree.h"

#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/file.h"
#include "lib/scenario/hw_counters.h"
#include "lib/scenario/load.h"
#include "lib/scenario/location.h"
#include "lib/scenario/seen_machine_testutil.h"
#include "lib/scenario/sysfs_rdma.h"
#include "lib/topology/relation.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

EmulatedMachine Load(const std::string& type) {
  auto machine = LoadSpec(type, "scenarios");
  EXPECT_TRUE(machine) << machine.error().ToString();
  return machine ? *std::move(machine) : EmulatedMachine();
}

class TreeTest : public testing::TestWithParam<std::string> {
 protected:
  std::string Read(const std::string& path) const {
    auto text = ReadAttribute((root_ / path).string());
    return text ? *text : text.error().ToString();
  }

  const EmulatedMachine& emulated_ = SeeMachine(GetParam()).emulated;
  const Machine& seen_ = SeeMachine(GetParam()).seen;
  const fs::path root_ = SeeMachine(GetParam()).folder.path();
};

// The bridges above `address` in the scenario.
std::vector<PciAddress> BridgesAbove(const EmulatedMachine& machine, const PciAddress& address) {
  return PciLocations(machine).Of(address).bridges;
}

TEST_P(TreeTest, HwlocSeesTheNics) {
  ASSERT_EQ(seen_.nics.size(), emulated_.nics.size());
  for (size_t i = 0; i < seen_.nics.size(); ++i) {
    const Nic& seen = seen_.nics[i];
    const EmulatedNic& emulated = emulated_.nics[i];
    EXPECT_EQ(seen.position.address, emulated.address);
    EXPECT_EQ(seen.name, emulated.name);
    EXPECT_EQ(seen.position.bridges, BridgesAbove(emulated_, emulated.address));
    EXPECT_EQ(seen.position.numa_node, PciLocations(emulated_).Of(emulated.address).numa_node);
  }
}

TEST_P(TreeTest, HwlocSeesTheGpusAndNothingElseAsGpu) {
  ASSERT_EQ(seen_.gpus.size(), emulated_.gpus.size());
  for (size_t i = 0; i < seen_.gpus.size(); ++i) {
    EXPECT_EQ(seen_.gpus[i].position.address, emulated_.gpus[i].address);
    EXPECT_EQ(seen_.gpus[i].position.bridges, BridgesAbove(emulated_, emulated_.gpus[i].address));
    EXPECT_EQ(seen_.gpus[i].vendor_id, 0x10de);
  }
}

TEST_P(TreeTest, HwlocSeesTheAccelerators) {
  ASSERT_EQ(seen_.accelerators.size(), emulated_.accelerators.size());
  const PciLocations locations(emulated_);
  for (size_t i = 0; i < seen_.accelerators.size(); ++i) {
    const PciPosition& position = seen_.accelerators[i].position;
    EXPECT_EQ(position.address, emulated_.accelerators[i]);
    EXPECT_EQ(position.bridges, BridgesAbove(emulated_, emulated_.accelerators[i]));
    EXPECT_EQ(position.numa_node, locations.Of(emulated_.accelerators[i]).numa_node);
  }
}

TEST_P(TreeTest, HwlocSeesTheNumaNodes) {
  ASSERT_EQ(seen_.numa_nodes.size(), emulated_.numa_nodes.size());
  for (size_t i = 0; i < seen_.numa_nodes.size(); ++i) {
    EXPECT_EQ(seen_.numa_nodes[i].os_index, emulated_.numa_nodes[i].index);
    EXPECT_EQ(seen_.numa_nodes[i].cpus, emulated_.numa_nodes[i].cpus);
    EXPECT_EQ(seen_.numa_nodes[i].memory, emulated_.numa_nodes[i].memory);
  }
}

// Two implementations on two sides of the tree: what the scenario gave capacities and ids by, and
// what the tools find out.
TEST_P(TreeTest, EveryRelationIsTheScenarios) {
  const PciLocations locations(emulated_);
  std::vector<MemoryPlace> places = emulated_.Places();
  for (const PciAddress& address : emulated_.accelerators) {
    places.push_back(MemoryPlace::Accelerator(address));
  }
  for (const Nic& nic : seen_.nics) {
    for (const MemoryPlace& place : places) {
      EXPECT_EQ(RelationOf(seen_, nic, place).relation,
                locations.RelationOf(nic.position.address, place))
          << nic.name << " " << place.ToString();
    }
  }
}

TEST_P(TreeTest, DmiNamesTheInstanceType) {
  EXPECT_EQ(Read("sys/devices/virtual/dmi/id/product_name"), emulated_.instance_type);
  EXPECT_EQ(Read("sys/class/dmi/id/sys_vendor"), "Amazon EC2");
}

TEST_P(TreeTest, LibibverbsFindsEveryNic) {
  EXPECT_EQ(Read("sys/class/infiniband_verbs/abi_version"), "6");
  for (size_t i = 0; i < emulated_.nics.size(); ++i) {
    const EmulatedNic& nic = emulated_.nics[i];
    const std::string uverbs = "sys/class/infiniband_verbs/uverbs" + std::to_string(i);
    EXPECT_EQ(Read(uverbs + "/ibdev"), nic.name);
    EXPECT_EQ(Read(uverbs + "/dev"), "231:" + std::to_string(192 + i));
    EXPECT_EQ(Read(uverbs + "/abi_version"), "1");
    const std::string device = "sys/class/infiniband/" + nic.name;
    EXPECT_EQ(Read(device + "/node_type"), "7: unspecified");
    EXPECT_EQ(Read(device + "/node_guid"), nic.node_guid);
    EXPECT_EQ(Read(device + "/fw_ver"), nic.model.firmware);
    EXPECT_EQ(Read(device + "/ports/1/gids/0"), nic.gid);
    EXPECT_EQ(Read(device + "/ports/1/state"), "4: ACTIVE");
    EXPECT_EQ(Read(device + "/ports/1/rate"), FormatPortRate(nic.model.reported_gb_per_second));
    EXPECT_EQ(Read(device + "/device/p2p"), emulated_.p2p_provider);
    EXPECT_EQ(Read(device + "/device/modalias").substr(0, 28),
              "pci:v00001D0Fd0000EFA" + Read(device + "/device/device").substr(5) + "sv0000");
    EXPECT_EQ(fs::canonical(root_ / device / "device").filename(), nic.address.ToString());
    EXPECT_EQ(fs::canonical(root_ / device / "device/driver").filename(), "efa");
    EXPECT_TRUE(fs::is_directory(root_ / device / "device/infiniband" / nic.name));
    EXPECT_TRUE(fs::is_directory(root_ / device / "device/infiniband_verbs" /
                                 ("uverbs" + std::to_string(i))));
    for (const std::string_view name : kHwCounterNames) {
      EXPECT_EQ(Read(device + "/ports/1/hw_counters/" + std::string(name)), "0") << name;
    }
  }
}

TEST_P(TreeTest, EveryLinkIsRelativeAndWhole) {
  size_t links = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root_)) {
    if (!entry.is_symlink()) continue;
    ++links;
    EXPECT_TRUE(fs::read_symlink(entry).is_relative()) << entry.path();
    EXPECT_TRUE(fs::exists(entry)) << entry.path();
  }
  EXPECT_GT(links, 100u);
}

INSTANTIATE_TEST_SUITE_P(Instances, TreeTest,
                         testing::ValuesIn(ListInstanceTypes("scenarios").value()),
                         [](const auto& instance) { return TestNameOf(instance.param); });

TEST(WriteTreeTest, CpuTopologyIsThatOfTwoSockets) {
  const TreeFolder folder;
  const fs::path& root = folder.path();
  ASSERT_TRUE(WriteTree(Load("p5.48xlarge"), root.string()));
  const auto read = [&](const std::string& path) {
    return ReadAttribute((root / "sys/devices/system" / path).string()).value();
  };
  EXPECT_EQ(read("cpu/online"), "0-191");
  EXPECT_EQ(read("cpu/cpu50/topology/physical_package_id"), "1");
  EXPECT_EQ(read("cpu/cpu50/topology/core_id"), "2");
  EXPECT_EQ(read("cpu/cpu146/topology/core_cpus_list"), "50,146");
  EXPECT_EQ(read("cpu/cpu50/topology/package_cpus"),
            "ffffffff,ffff0000,00000000,ffffffff,ffff0000,00000000");
  EXPECT_EQ(read("cpu/cpu146/cache/index3/size"), "32768K");
  EXPECT_EQ(read("node/node1/cpulist"), "48-95,144-191");
  EXPECT_EQ(read("node/node0/distance"), "10 20");
  const std::string cpuinfo = ReadFile((root / "proc/cpuinfo").string()).value();
  EXPECT_NE(cpuinfo.find("processor\t: 191\n"), std::string::npos);
  EXPECT_NE(cpuinfo.find("model name\t: AMD EPYC 7R13 Processor\n"), std::string::npos);
}

TEST(WriteTreeTest, SaysWhereItFailed) {
  const Status missing = WriteTree(Load("p5.48xlarge"), "/nonexistent/root");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().ToString(),
            "write the emulated machine's files /nonexistent/root: ENOENT (No such file or "
            "directory)");

  const TreeFolder folder;
  const fs::path& root = folder.path();
  fs::create_directories(root / "sys/devices/system/cpu/online");
  const Status blocked = WriteTree(Load("p5.48xlarge"), root.string());
  ASSERT_FALSE(blocked);
  EXPECT_EQ(blocked.error().object, root.string() + "/sys/devices/system/cpu/online (open)");
  EXPECT_EQ(blocked.error().reason, "EISDIR (Is a directory)");
}

TEST(WriteTreeTest, WhatAContainerHidesIsUnknownAndNotInvented) {
  const SeenMachine& hidden = SeeMachine("p5.48xlarge,hidden-pci");
  EXPECT_FALSE(hidden.seen.shows_pci);
  EXPECT_TRUE(hidden.seen.gpus.empty());
  EXPECT_TRUE(fs::exists(hidden.folder.path() / "sys/class/infiniband/rdmap79s0/device/modalias"));
}

TEST(WriteTreeTest, AFlatTreeHasNoBridgesAndNoNumaNodes) {
  const SeenMachine& flat = SeeMachine("p5.48xlarge,flat-tree");
  ASSERT_EQ(flat.seen.nics.size(), 32u);
  ASSERT_EQ(flat.seen.gpus.size(), 8u);
  for (const Nic& nic : flat.seen.nics) {
    EXPECT_TRUE(nic.position.bridges.empty());
    EXPECT_FALSE(nic.position.numa_node.has_value());
  }
}

TEST(WriteTreeTest, AcceleratorsOfAFlatTreeAreNearNobody) {
  const Machine& flat = SeeMachine("trn1.32xlarge,flat-tree").seen;
  EXPECT_TRUE(flat.flat);
  ASSERT_EQ(flat.accelerators.size(), 16u);
  for (const MemoryPlace& place : flat.UnsupportedPlaces()) {
    EXPECT_EQ(RelationOf(flat, flat.nics[0], place).relation, Relation::kUnknown);
  }
}

TEST(WriteTreeTest, UnreadableConfigurationSpaceEndsAfterTheHeader) {
  const SeenMachine& healthy = SeeMachine("p5.48xlarge");
  const SeenMachine& hidden = SeeMachine("p5.48xlarge,config-unreadable");
  const char* root_port = "sys/bus/pci/devices/0000:44:00.0/config";
  EXPECT_EQ(fs::file_size(healthy.folder.path() / root_port), 4096u);
  EXPECT_EQ(fs::file_size(hidden.folder.path() / root_port), 64u);
}

}  // namespace
}  // namespace railgauge
