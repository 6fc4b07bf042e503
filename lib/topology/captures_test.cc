// Real topologies, where they are at hand: hwloc XML captures of instances and a JSON file of the
// groups that they form. They are kept outside this repository; RAILGAUGE_SHARED_DATA names the
// directory that holds them (hwloc/TYPE.xml and topologies.json):
//
//   bazel test //lib/topology:captures_test --test_env=RAILGAUGE_SHARED_DATA=DIR
//
// The JSON is the independent witness: relations are derived from its groups here, by whether a
// NIC and a GPU are listed in one group, and not by comparing bridges.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/file.h"
#include "lib/topology/load.h"
#include "lib/topology/machine_testutil.h"
#include "lib/topology/relation.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

// "0000:44" of "0000:[44-54]".
std::string HostBridgeOf(const Json& group) {
  std::string text = group.at("host_bridge");
  text.erase(text.find('['), 1);
  return text.substr(0, text.find('-'));
}

std::optional<uint32_t> NodeOf(const Json& group) {
  if (group.at("numa").is_null()) return std::nullopt;
  return group.at("numa").get<uint32_t>();
}

std::vector<PciAddress> BridgesOf(const Json& device) {
  std::vector<PciAddress> bridges;
  for (const Json& bridge : device.at("bridges_root_to_leaf")) {
    bridges.push_back(Pci(bridge.get<std::string>()));
  }
  return bridges;
}

// What the JSON says of one device, in the words of PciPosition.
PciPosition PositionOf(const Json& group, const Json& device) {
  PciPosition position;
  position.address = Pci(device.at("bdf").get<std::string>());
  position.host_bridge = HostBridgeOf(group);
  position.bridges = BridgesOf(device);
  position.numa_node = NodeOf(group);
  if (const double speed = device.at("link_GBs"); speed > 0) {
    position.link_speed = BytesPerSecond{speed * 1e9};
  }
  return position;
}

struct Expected {
  PciPosition position;
  size_t group = 0;
  bool has_root_port = false;
  std::string name;
  uint16_t device_id = 0;
};

// The devices of one kind ("efa", "gpu") over all groups of an instance type, by address.
std::map<PciAddress, Expected> DevicesOf(const Json& type, const char* kind) {
  std::map<PciAddress, Expected> devices;
  const Json& groups = type.at("groups");
  for (size_t i = 0; i < groups.size(); ++i) {
    for (const Json& device : groups[i].at(kind)) {
      Expected expected{PositionOf(groups[i], device), i, !groups[i].at("root_port").is_null(), "",
                        0};
      if (device.at("name").is_string()) expected.name = device.at("name");
      const std::string id = device.at("id");
      expected.device_id = static_cast<uint16_t>(std::stoul(id.substr(5), nullptr, 16));
      devices[expected.position.address] = expected;
    }
  }
  return devices;
}

Relation ExpectedRelation(const Expected& nic, const Expected& gpu) {
  if (nic.group == gpu.group) {
    return nic.has_root_port ? Relation::kSameSwitch : Relation::kSameHostBridge;
  }
  if (!nic.position.numa_node || !gpu.position.numa_node) return Relation::kUnknown;
  return nic.position.numa_node == gpu.position.numa_node ? Relation::kSameNumaNode
                                                          : Relation::kOtherNumaNode;
}

void ExpectPosition(const PciPosition& actual, const PciPosition& expected) {
  EXPECT_EQ(actual.address, expected.address);
  EXPECT_EQ(actual.host_bridge, expected.host_bridge);
  EXPECT_EQ(actual.bridges, expected.bridges);
  EXPECT_EQ(actual.numa_node, expected.numa_node);
  ASSERT_EQ(actual.link_speed.has_value(), expected.link_speed.has_value());
  if (!actual.link_speed) return;
  EXPECT_NEAR(actual.link_speed->value, expected.link_speed->value, 1e4);
}

class CapturesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* directory = std::getenv("RAILGAUGE_SHARED_DATA");
    if (directory == nullptr || *directory == '\0') {
      GTEST_SKIP() << "RAILGAUGE_SHARED_DATA is not set: no captures of real machines here. The "
                      "other tests of this package use machines written by hand";
    }
    directory_ = directory;
    const Result<std::string> text = ReadFile(directory_ + "/topologies.json");
    ASSERT_TRUE(text) << text.error().ToString();
    topologies_ = Json::parse(*text);
  }

  void ExpectCaptureAgrees(const std::string& type, size_t nic_count, size_t gpu_count);

  std::string directory_;
  Json topologies_;
};

void CapturesTest::ExpectCaptureAgrees(const std::string& type, size_t nic_count,
                                       size_t gpu_count) {
  const Result<Machine> loaded = LoadMachineFromXml(directory_ + "/hwloc/" + type + ".xml");
  ASSERT_TRUE(loaded) << loaded.error().ToString();
  const Machine& machine = *loaded;
  const auto nics = DevicesOf(topologies_.at(type), "efa");
  const auto gpus = DevicesOf(topologies_.at(type), "gpu");

  EXPECT_TRUE(machine.shows_pci);
  EXPECT_FALSE(machine.flat);
  EXPECT_EQ(machine.numa_nodes.size(), 2u);
  for (const NumaNode& node : machine.numa_nodes) {
    EXPECT_GT(node.memory.count, uint64_t{100} << 30);
    EXPECT_FALSE(node.cpus.empty());
  }
  EXPECT_TRUE(machine.other_rdma_devices.empty());
  ASSERT_EQ(nics.size(), nic_count);
  ASSERT_EQ(gpus.size(), gpu_count);
  ASSERT_EQ(machine.nics.size(), nic_count);
  ASSERT_EQ(machine.gpus.size(), gpu_count);

  for (const Nic& nic : machine.nics) {
    ASSERT_TRUE(nics.contains(nic.position.address)) << nic.position.address.ToString();
    const Expected& expected = nics.at(nic.position.address);
    ExpectPosition(nic.position, expected.position);
    EXPECT_EQ(nic.name, expected.name);
    EXPECT_EQ(nic.device_id, expected.device_id);
  }
  for (const Gpu& gpu : machine.gpus) {
    ASSERT_TRUE(gpus.contains(gpu.position.address)) << gpu.position.address.ToString();
    ExpectPosition(gpu.position, gpus.at(gpu.position.address).position);
    EXPECT_EQ(gpu.device_id, gpus.at(gpu.position.address).device_id);
  }

  std::map<Relation, int> counts;
  for (const Nic& nic : machine.nics) {
    for (const Gpu& gpu : machine.gpus) {
      const RelationResult actual =
          RelationOf(machine, nic, MemoryPlace::Gpu(gpu.position.address));
      EXPECT_EQ(actual.relation,
                ExpectedRelation(nics.at(nic.position.address), gpus.at(gpu.position.address)))
          << actual.pci_path;
      ++counts[actual.relation];
    }
  }
  std::string summary;
  for (const auto& [relation, count] : counts) {
    summary += std::string(" ") + std::string(ToString(relation)) + "=" + std::to_string(count);
  }
  std::printf("%s: %zu NICs, %zu GPUs, %zu groups; NIC x GPU:%s\n", type.c_str(),
              machine.nics.size(), machine.gpus.size(), GroupNics(machine).size(), summary.c_str());
}

TEST_F(CapturesTest, P5AgreesWithItsGroups) { ExpectCaptureAgrees("p5.48xlarge", 32, 8); }

TEST_F(CapturesTest, P4dAgreesWithItsGroups) { ExpectCaptureAgrees("p4d.24xlarge", 4, 8); }

// A Machine of the JSON's facts, for the types of which there is no XML.
Machine MakeFromGroups(const Json& type) {
  Machine machine = MakeHost(2);
  machine.shows_pci = true;
  for (const auto& [address, device] : DevicesOf(type, "efa")) {
    machine.nics.push_back({device.position, device.device_id, device.name});
  }
  for (const auto& [address, device] : DevicesOf(type, "gpu")) {
    machine.gpus.push_back({device.position, 0x10de, device.device_id, ""});
  }
  const Json& groups = type.at("groups");
  machine.flat =
      groups.size() == 1 && groups[0].at("root_port").is_null() && !NodeOf(groups[0]).has_value();
  return machine;
}

TEST_F(CapturesTest, RelationsGroupsAndPartnersOfEveryType) {
  int types = 0;
  for (const auto& [name, type] : topologies_.items()) {
    if (!type.contains("groups")) continue;  // vendor maps have no PCI tree
    SCOPED_TRACE(name);
    ++types;
    const Machine machine = MakeFromGroups(type);
    const auto nics = DevicesOf(type, "efa");
    const auto gpus = DevicesOf(type, "gpu");
    for (const Nic& nic : machine.nics) {
      const Expected& expected_nic = nics.at(nic.position.address);
      for (const Gpu& gpu : machine.gpus) {
        const Relation expected =
            machine.flat ? Relation::kUnknown
                         : ExpectedRelation(expected_nic, gpus.at(gpu.position.address));
        EXPECT_EQ(RelationOf(machine, nic, MemoryPlace::Gpu(gpu.position.address)).relation,
                  expected);
      }
    }

    std::set<size_t> groups_with_nics;
    for (const auto& [address, nic] : nics) groups_with_nics.insert(nic.group);
    EXPECT_EQ(GroupNics(machine).size(), groups_with_nics.size());

    std::set<PciAddress> partners;
    for (const auto& [address, nic] : nics) {
      const auto own_node = MemoryPlace::NumaNode(nic.position.numa_node.value_or(0));
      const Expected& partner = nics.at(PartnerOf(machine, address, own_node));
      partners.insert(partner.position.address);
      if (groups_with_nics.size() > 1) {
        EXPECT_NE(partner.group, nic.group);
        EXPECT_EQ(partner.position.numa_node, nic.position.numa_node);
      }
    }
    EXPECT_EQ(partners.size(), nics.size()) << "every NIC is the partner of exactly one";
    std::printf("%s: %zu NICs in %zu groups, %zu GPUs\n", name.c_str(), nics.size(),
                groups_with_nics.size(), gpus.size());
  }
  EXPECT_GE(types, 8);
}

}  // namespace
}  // namespace railgauge
