#include "lib/topology/load.h"

#include <hwloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "lib/topology/machine_testutil.h"
#include "lib/topology/relation.h"
#include "lib/topology/xml_testutil.h"

namespace railgauge {
namespace {

std::string WriteTemporary(std::string_view content) {
  const std::string path = ::testing::TempDir() + "/topology.xml";
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
  return path;
}

Machine Load(const std::string& xml) {
  Result<Machine> machine = LoadMachineFromXml(WriteTemporary(xml));
  EXPECT_TRUE(machine) << machine.error().ToString() << "\n" << xml;
  return machine ? *std::move(machine) : Machine();
}

// One line with the path and `part`, and nothing of hwloc's own on stderr.
void ExpectError(const std::string& path, std::string_view part) {
  ::testing::internal::CaptureStderr();
  const Result<Machine> machine = LoadMachineFromXml(path);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  ASSERT_FALSE(machine);
  const std::string message = machine.error().ToString();
  EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_NE(message.find(path), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

// Two switches with two NICs and a GPU each, one per package.
std::string TwoSwitches() {
  std::vector<std::string> packages;
  for (const std::string& bus : std::vector<std::string>{"1", "2"}) {
    const std::string below_upstream =
        BridgeXml("0000:" + bus + "2:00.0", bus + "3", 3,
                  EfaXml("0000:" + bus + "3:00.0", "rdmap" + bus + "a")) +
        BridgeXml("0000:" + bus + "2:01.0", bus + "4", 3,
                  EfaXml("0000:" + bus + "4:00.0", "rdmap" + bus + "b")) +
        BridgeXml("0000:" + bus + "2:02.0", bus + "5", 3, GpuXml("0000:" + bus + "5:00.0"));
    packages.push_back(HostBridgeXml(
        bus + "0", BridgeXml("0000:" + bus + "0:00.0", bus + "1", 1,
                             BridgeXml("0000:" + bus + "1:00.0", bus + "2", 2, below_upstream))));
  }
  return TopologyXml(packages);
}

TEST(LoadTest, ReadsAllOfATree) {
  const Machine machine = Load(TwoSwitches());
  EXPECT_EQ(machine.instance_type, "test.48xlarge");
  EXPECT_EQ(machine.hostname, "ip-test");
  EXPECT_TRUE(machine.shows_pci);
  EXPECT_FALSE(machine.flat);

  ASSERT_EQ(machine.numa_nodes.size(), 2u);
  EXPECT_EQ(machine.numa_nodes[1].os_index, 1u);
  EXPECT_EQ(machine.numa_nodes[1].memory, Bytes{2000000});
  EXPECT_EQ(machine.numa_nodes[1].cpus, (std::vector<uint32_t>{2, 3}));

  ASSERT_EQ(machine.nics.size(), 4u);
  const Nic& nic = machine.nics[3];
  EXPECT_EQ(nic.position.address, Pci("0000:24:00.0"));
  EXPECT_EQ(nic.name, "rdmap2b");
  EXPECT_EQ(nic.device_id, 0xefa1);
  EXPECT_EQ(nic.position.host_bridge, "0000:20");
  EXPECT_EQ(nic.position.bridges, PciList({"0000:20:00.0", "0000:21:00.0", "0000:22:01.0"}));
  EXPECT_EQ(nic.position.numa_node, 1u);
  ASSERT_TRUE(nic.position.link_speed);
  EXPECT_NEAR(nic.position.link_speed->value, 15.753846e9, 1e4);

  ASSERT_EQ(machine.gpus.size(), 2u);
  EXPECT_EQ(machine.gpus[0].position.address, Pci("0000:15:00.0"));
  EXPECT_EQ(machine.gpus[0].vendor_id, 0x10de);
  EXPECT_EQ(machine.gpus[0].device_id, 0x2330);
  EXPECT_EQ(machine.gpus[0].position.numa_node, 0u);

  const auto relation = [&](size_t gpu) {
    return RelationOf(machine, nic, MemoryPlace::Gpu(machine.gpus[gpu].position.address)).relation;
  };
  EXPECT_EQ(relation(1), Relation::kSameSwitch);
  EXPECT_EQ(relation(0), Relation::kOtherNumaNode);
}

TEST(LoadTest, CommentsBreakNothing) {
  std::string xml = TwoSwitches();
  xml.insert(xml.find("<!DOCTYPE"), "<!-- a licence -->\n<!--\n  of many lines\n-->\n");
  xml.insert(xml.find("<info"), "<!-- within -->");
  EXPECT_EQ(Load(xml).nics.size(), 4u);
}

TEST(LoadTest, CountsGpusAndEfaOnly) {
  const Machine machine = Load(TopologyXml(
      {HostBridgeXml("10", PciDeviceXml("0000:10:03.0", "0300 [1d0f:1111]") +      // Amazon's VGA
                               PciDeviceXml("0000:10:04.0", "0300 [10de:1db5]") +  // a GPU as VGA
                               PciDeviceXml("0000:10:05.0", "0302 [10de:20b0]") +
                               PciDeviceXml("0000:10:06.0", "0680 [10de:22a3]") +  // an NVSwitch
                               PciDeviceXml("0000:10:07.0", "0302 [1002:740f]") +
                               PciDeviceXml("0000:10:08.0", "0200 [1d0f:ec20]") +  // ENA
                               PciDeviceXml("0000:10:09.0", "0200 [1d0f:efa0]", "efa_0") +
                               PciDeviceXml("0000:10:0a.0", "0200 [1d0f:efa4]", "efa_1") +
                               PciDeviceXml("0000:10:0b.0", "0207 [15b3:1021]", "mlx5_0") +
                               PciDeviceXml("0000:10:0c.0", "0200 [15b3:efa1]"))}));
  ASSERT_EQ(machine.gpus.size(), 2u);
  EXPECT_EQ(machine.gpus[0].position.address, Pci("0000:10:04.0"));
  EXPECT_EQ(machine.gpus[1].position.address, Pci("0000:10:05.0"));
  ASSERT_EQ(machine.nics.size(), 2u);
  EXPECT_EQ(machine.nics[0].device_id, 0xefa0);
  EXPECT_EQ(machine.nics[1].device_id, 0xefa4);
  EXPECT_EQ(machine.other_rdma_devices, PciList({"0000:10:0b.0"}));
  ASSERT_EQ(machine.accelerators.size(), 1u) << "a GPU that is not CUDA's";
  EXPECT_EQ(machine.accelerators[0].position.address, Pci("0000:10:07.0"));
}

TEST(LoadTest, WhatComputesAndIsNoCudaGpuIsAnAccelerator) {
  const Machine machine = Load(TopologyXml(
      {HostBridgeXml("10", EfaXml("0000:10:1a.0", "rdmap16s26") +
                               PciDeviceXml("0000:10:1c.0", "0880 [1d0f:7164]") +  // Trainium
                               PciDeviceXml("0000:10:1d.0", "0880 [8086:7164]") +  // not Amazon's
                               PciDeviceXml("0000:10:1e.0", "1200 [1da3:1020]"))}));  // Gaudi
  ASSERT_EQ(machine.accelerators.size(), 2u);
  EXPECT_EQ(machine.accelerators[0].device_id, 0x7164);
  EXPECT_EQ(machine.accelerators[1].vendor_id, 0x1da3);
  EXPECT_TRUE(machine.gpus.empty());
  const std::vector<MemoryPlace> places = machine.Places();
  for (const MemoryPlace& place : machine.UnsupportedPlaces()) {
    EXPECT_EQ(std::count(places.begin(), places.end(), place), 0) << place.ToString();
  }
}

TEST(LoadTest, ANicThatIbverbsDoesNotShowHasNoName) {
  const Machine machine = Load(TopologyXml({HostBridgeXml("10", EfaXml("0000:10:01.0", ""))}));
  ASSERT_EQ(machine.nics.size(), 1u);
  EXPECT_EQ(machine.nics[0].name, "");
}

TEST(LoadTest, ZeroLinkSpeedIsUnknown) {
  const Machine machine = Load(TopologyXml(
      {HostBridgeXml("10", PciDeviceXml("0000:10:01.0", "0200 [1d0f:efa0]", "a", "0.000000"))}));
  ASSERT_EQ(machine.nics.size(), 1u);
  EXPECT_FALSE(machine.nics[0].position.link_speed);
}

TEST(LoadTest, OneHostBridgeWithoutBridgesIsFlat) {
  const std::string tree = HostBridgeXml(
      "00",
      EfaXml("0000:00:15.0", "rdmap0s21") + GpuXml("0000:00:16.0") +
          // A bridge above something else tells nothing of the NIC and the GPU.
          BridgeXml("0000:00:04.0", "01", 1, PciDeviceXml("0000:01:00.0", "0108 [1d0f:8061]")));
  // Two nodes, and the bridge below neither: no locality is shown.
  const Machine two_nodes = Load(TopologyXml({"", ""}, tree));
  EXPECT_TRUE(two_nodes.flat);
  EXPECT_FALSE(two_nodes.nics[0].position.numa_node);
  for (const MemoryPlace& place : two_nodes.Places()) {
    EXPECT_EQ(RelationOf(two_nodes, two_nodes.nics[0], place).relation, Relation::kUnknown);
  }
  // One node: hwloc hangs the bridge on it for want of any other, which tells nothing either.
  const Machine one_node = Load(TopologyXml({tree}));
  EXPECT_TRUE(one_node.flat);
  EXPECT_FALSE(one_node.nics[0].position.numa_node);
}

TEST(LoadTest, OneHostBridgeBelowOneOfTwoNodesIsNotFlat) {
  const Machine machine =
      Load(TopologyXml({HostBridgeXml("00", EfaXml("0000:00:15.0", "rdmap0s21")), ""}));
  EXPECT_FALSE(machine.flat);
  EXPECT_EQ(machine.nics[0].position.numa_node, 0u);
}

TEST(LoadTest, SeveralHostBridgesAreGroupsAndNotFlat) {
  const Machine machine = Load(TopologyXml(
      {"", ""}, HostBridgeXml("10", EfaXml("0000:10:1b.0", "rdmap16s27") + GpuXml("0000:10:1c.0")) +
                    HostBridgeXml("20", GpuXml("0000:20:1c.0"))));
  EXPECT_FALSE(machine.flat);
  EXPECT_FALSE(machine.nics[0].position.numa_node) << "below the machine: no one node";
  const auto relation = [&](std::string_view gpu) {
    return RelationOf(machine, machine.nics[0], MemoryPlace::Gpu(Pci(gpu))).relation;
  };
  EXPECT_EQ(relation("0000:10:1c.0"), Relation::kSameHostBridge);
  EXPECT_EQ(relation("0000:20:1c.0"), Relation::kUnknown);
}

TEST(LoadTest, HiddenPciIsAStateAndNoError) {
  const Machine machine = Load(TopologyXml({"", ""}));
  EXPECT_FALSE(machine.shows_pci);
  EXPECT_FALSE(machine.flat);
  EXPECT_TRUE(machine.nics.empty());
  EXPECT_EQ(machine.numa_nodes.size(), 2u);
  EXPECT_NE(machine.CheckHasNics().error().ToString().find("no PCI devices"), std::string::npos);
}

TEST(LoadTest, FilesThatCannotBeRead) {
  const std::string missing = ::testing::TempDir() + "/missing.xml";
  ExpectError(missing, "ENOENT");
  ExpectError(::testing::TempDir(), "not a regular file");
  ExpectError("/dev/zero", "not a regular file");
  const std::string fifo = ::testing::TempDir() + "/fifo.xml";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  ExpectError(fifo, "not a regular file");

  const std::string huge = WriteTemporary("");
  ASSERT_EQ(::truncate(huge.c_str(), off_t{17} << 20), 0);
  ExpectError(huge, "larger than");
}

TEST(LoadTest, FilesThatCannotBeParsed) {
  ExpectError(WriteTemporary(""), "the file is empty");
  ExpectError(WriteTemporary("<html></html>"), "the root element is <html>");
  ExpectError(WriteTemporary("\x7f"
                             "ELF"),
              "not XML");
  ExpectError(WriteTemporary("<topology/>"), "hwloc");
  ExpectError(WriteTemporary("<topology version=\"2.0\"></topology>"), "does not accept");
  if (HWLOC_API_VERSION < 0x00030000) {
    ExpectError(WriteTemporary("<topology version=\"3.0\"></topology>"), "it is of hwloc 3, which");
  }
  ExpectError(WriteTemporary("<topology version=\"2.0\"><object type=\"Core\"/></topology>"),
              "does not accept");
  ExpectError(WriteTemporary("<topology version=\"9.0\"><object type=\"Machine\"/></topology>"),
              "does not accept");
}

// Well-formed, and hwloc dereferences null on it: one line all the same.
TEST(LoadTest, FilesThatCrashHwloc) {
  std::string xml = TopologyXml({"", ""});
  const size_t package = xml.find("<object type=\"Package\"");
  const size_t sets = xml.find(" cpuset=", package);
  xml.erase(sets, xml.find(" gp_index", sets) - sets);
  ExpectError(WriteTemporary(xml), "hwloc");
}

TEST(LoadTest, EveryTruncationIsOneLine) {
  const std::string xml = TopologyXml({HostBridgeXml("10", EfaXml("0000:10:1b.0", "rdmap16s27"))});
  for (size_t size = 0; size + 1 < xml.size(); size += 7) {
    ExpectError(WriteTemporary(std::string_view(xml).substr(0, size)), "topology");
  }
}

TEST(LoadTest, ThisMachineLoads) {
  const Result<Machine> machine = LoadLiveMachine();
  ASSERT_TRUE(machine) << machine.error().ToString();
  EXPECT_FALSE(machine->hostname.empty());
  ASSERT_FALSE(machine->numa_nodes.empty());
  EXPECT_FALSE(machine->numa_nodes[0].cpus.empty());
  EXPECT_GT(machine->numa_nodes[0].memory.count, 0u);
}

}  // namespace
}  // namespace railgauge
