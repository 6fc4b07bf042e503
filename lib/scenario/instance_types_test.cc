// One row per instance type: what users of the type know about it, seen through the real loaders
// (scenario → tree → hwloc → Machine). And, where published exports are at hand, every NIC and GPU
// against them: RAILGAUGE_SHARED_DATA names the folder that holds topologies.json
//
//   bazel test //lib/scenario:instance_types_test --test_env=RAILGAUGE_SHARED_DATA=DIR
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "gtest/gtest.h"
#include "lib/base/file.h"
#include "lib/scenario/load.h"
#include "lib/scenario/seen_machine_testutil.h"
#include "lib/topology/relation.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

struct TypeRow {
  const char* type;
  size_t nics;
  uint16_t device_id;
  double gb_per_second;  // that each NIC reports
  size_t gpus, accelerators, other_rdma_devices;
  // Groups of NICs that share a switch or host bridge, by what is in one:
  // "8 x (4 NICs, 1 GPU)"; accelerators count like GPUs.
  const char* groups;
  size_t numa_nodes, places;  // places: NUMA nodes with memory and GPUs
  const char* capabilities;
  // Of one NIC: places and relations, "numa0 same_numa_node; …".
  const char* nic;
  const char* relations;
  // What the map of another type in topologies.json is, where the type itself has none.
  const char* published_as;
};

// clang-format off
constexpr TypeRow kTypes[] = {
    // One NIC and nothing else on a flat bus. No RDMA at all, so nothing can be measured.
    {"c5n.18xlarge", 1, 0xefa0, 100, 0, 0, 0, "1 x (1 NICs, 0 GPUs)", 2, 2, "",
     "rdmap0s31", "numa0 unknown; numa1 unknown", "c5n.18xlarge"},
    // The flat bus of c5n with eight GPUs on it: none is known to be nearer than another.
    {"p3dn.24xlarge", 1, 0xefa0, 100, 8, 0, 0, "1 x (1 NICs, 0 GPUs)", 2, 10, "",
     "rdmap0s21", "numa0 unknown; gpu:0000:00:16.0 unknown; gpu:0000:00:1d.0 unknown",
     "p3dn.24xlarge"},
    // As p3dn; the GPUs' links have trained down, and their memory registers in no way.
    {"g5.48xlarge", 1, 0xefa0, 100, 8, 0, 0, "1 x (1 NICs, 0 GPUs)", 2, 10, "",
     "rdmap0s21", "numa1 unknown; gpu:0000:00:16.0 unknown", "g5.48xlarge"},
    // Each GPU on a root port and a host bridge of its own: no switch is shared, nodes decide.
    {"g6.48xlarge", 1, 0xefa1, 100, 8, 0, 0, "1 x (1 NICs, 0 GPUs)", 2, 10, "read write",
     "rdmap150s0", "numa0 same_numa_node; numa1 other_numa_node; "
     "gpu:0000:9f:00.0 same_numa_node; gpu:0000:b4:00.0 other_numa_node", "g6.48xlarge"},
    // No bridges are visible: host bridges are the groups. Reads, and does not write.
    {"p4d.24xlarge", 4, 0xefa0, 100, 8, 0, 0, "4 x (1 NICs, 2 GPUs)", 2, 10, "read",
     "rdmap16s27", "numa0 same_numa_node; gpu:0000:10:1d.0 same_host_bridge; "
     "gpu:0000:20:1c.0 same_numa_node; gpu:0000:90:1c.0 other_numa_node", "p4d.24xlarge"},
    // p4d with more memory on the GPUs; no export is published, the tree is assumed to be p4d's.
    {"p4de.24xlarge", 4, 0xefa0, 100, 8, 0, 0, "4 x (1 NICs, 2 GPUs)", 2, 10, "read",
     "rdmap160s27", "numa0 other_numa_node; gpu:0000:a0:1c.0 same_host_bridge; "
     "gpu:0000:90:1c.0 same_numa_node; gpu:0000:10:1c.0 other_numa_node", "p4d.24xlarge"},
    // Four NICs and a GPU below each of eight switches.
    {"p5.48xlarge", 32, 0xefa1, 100, 8, 0, 0, "8 x (4 NICs, 1 GPUs)", 2, 10, "read write",
     "rdmap79s0", "numa0 same_numa_node; numa1 other_numa_node; gpu:0000:53:00.0 same_switch; "
     "gpu:0000:64:00.0 same_numa_node; gpu:0000:97:00.0 other_numa_node", "p5.48xlarge"},
    // Twice the rate, half the NICs: four and two GPUs below each of four switches.
    {"p5en.48xlarge", 16, 0xefa2, 200, 8, 0, 0, "4 x (4 NICs, 2 GPUs)", 2, 10, "read write",
     "rdmap138s0", "numa1 same_numa_node; gpu:0000:8b:00.0 same_switch; "
     "gpu:0000:8c:00.0 same_switch; gpu:0000:a4:00.0 same_numa_node; "
     "gpu:0000:59:00.0 other_numa_node", "p5en.48xlarge"},
    // One NIC to a GPU, in pairs below four switches. Two ConnectX-7 beside, which are no EFA.
    {"p6-b200.48xlarge", 8, 0xefa3, 400, 8, 0, 2, "4 x (2 NICs, 2 GPUs)", 2, 10, "read write",
     "rdmap113s0", "numa1 same_numa_node; gpu:0000:75:00.0 same_switch; "
     "gpu:0000:86:00.0 same_numa_node; gpu:0000:51:00.0 other_numa_node", "p6-b200.48xlarge"},
    // Two NICs to a GPU below eight switches; the ConnectX-7 have a switch of their own.
    {"p6-b300.48xlarge", 16, 0xefa3, 400, 8, 0, 2, "8 x (2 NICs, 1 GPUs)", 2, 10, "read write",
     "rdmap86s0", "numa0 same_numa_node; gpu:0000:58:00.0 same_switch; "
     "gpu:0000:67:00.0 same_numa_node; gpu:0000:c1:00.0 other_numa_node", "p6-b300.48xlarge"},
    // Half of the switches have no GPU; of 34 NUMA nodes 32 are empty and no places.
    {"p6e-gb200.36xlarge", 16, 0xefa3, 100, 4, 0, 0,
     "4 x (2 NICs, 0 GPUs); 4 x (2 NICs, 1 GPUs)", 34, 6, "read write",
     "rdmap54s0", "numa0 same_numa_node; numa1 other_numa_node; gpu:0000:29:00.0 same_numa_node; "
     "gpu:0000:9c:00.0 other_numa_node", "p6e-gb200.36xlarge"},
    // Accelerators that are no GPUs, four of them and two NICs on each of four buses.
    {"trn1.32xlarge", 8, 0xefa1, 100, 0, 16, 0, "4 x (2 NICs, 4 GPUs)", 2, 2, "read write",
     "rdmap16s26", "numa0 same_numa_node; accelerator:0000:10:1c.0 same_host_bridge; "
     "accelerator:0000:20:1b.0 same_numa_node; accelerator:0000:a0:1c.0 other_numa_node", "trn1"},
    // As trn1 with four NICs on a bus.
    {"trn1n.32xlarge", 16, 0xefa1, 100, 0, 16, 0, "4 x (4 NICs, 4 GPUs)", 2, 2, "read write",
     "rdmap160s23", "numa1 same_numa_node; accelerator:0000:a0:1c.0 same_host_bridge; "
     "accelerator:0000:90:1b.0 same_numa_node; accelerator:0000:10:1c.0 other_numa_node", "trn1n"},
    // One NIC to an accelerator; that pairs of them share a switch is assumed.
    {"trn2.48xlarge", 16, 0xefa2, 200, 0, 16, 0, "8 x (2 NICs, 2 GPUs)", 2, 2, "read write",
     "rdmap201s0", "numa1 same_numa_node; accelerator:0000:cc:00.0 same_switch; "
     "accelerator:0000:b5:00.0 same_numa_node; accelerator:0000:6f:00.0 other_numa_node", "trn2"},
};
// clang-format on

void PrintTo(const TypeRow& row, std::ostream* out) { *out << row.type; }

class InstanceTypeTest : public testing::TestWithParam<TypeRow> {
 protected:
  const EmulatedMachine& emulated_ = SeeMachine(GetParam().type).emulated;
  const Machine& seen_ = SeeMachine(GetParam().type).seen;
};

const Nic& NicNamed(const Machine& machine, const std::string& name) {
  for (const Nic& nic : machine.nics) {
    if (nic.name == name) return nic;
  }
  ADD_FAILURE() << "no NIC " << name;
  return machine.nics.front();
}

// GPUs and accelerators.
std::vector<MemoryPlace> ProcessorsOf(const Machine& machine) {
  std::vector<MemoryPlace> places = machine.UnsupportedPlaces();
  for (const Gpu& gpu : machine.gpus) places.push_back(MemoryPlace::Gpu(gpu.position.address));
  return places;
}

std::string GroupsOf(const Machine& machine) {
  std::map<std::string, size_t> counts;
  for (const NicGroup& group : GroupNics(machine)) {
    const Nic& nic = *machine.FindNic(group.nics.front());
    size_t processors = 0;
    for (const MemoryPlace& place : ProcessorsOf(machine)) {
      if (RelationOf(machine, nic, place).relation <= Relation::kSameHostBridge) ++processors;
    }
    ++counts[fmt::format("({} NICs, {} GPUs)", group.nics.size(), processors)];
  }
  std::string text;
  for (const auto& [group, count] : counts) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : "; ", count, group);
  }
  return text;
}

std::string CapabilitiesOf(const EmulatedNicModel& model) {
  std::string text = model.rdma_read ? "read" : "";
  if (model.rdma_write) text += text.empty() ? "write" : " write";
  return text;
}

TEST_P(InstanceTypeTest, IsWhatItsUsersKnow) {
  const TypeRow& row = GetParam();
  EXPECT_EQ(seen_.instance_type, row.type);
  EXPECT_TRUE(seen_.shows_pci);
  EXPECT_EQ(seen_.nics.size(), row.nics);
  EXPECT_EQ(seen_.gpus.size(), row.gpus);
  EXPECT_EQ(seen_.accelerators.size(), row.accelerators);
  EXPECT_EQ(seen_.other_rdma_devices.size(), row.other_rdma_devices);
  EXPECT_EQ(seen_.numa_nodes.size(), row.numa_nodes);
  EXPECT_EQ(seen_.Places().size(), row.places);
  EXPECT_EQ(GroupsOf(seen_), row.groups);
  for (const Nic& nic : seen_.nics) EXPECT_EQ(nic.device_id, row.device_id) << nic.name;
  for (const EmulatedNic& nic : emulated_.nics) {
    EXPECT_EQ(CapabilitiesOf(nic.model), row.capabilities) << nic.name;
    EXPECT_EQ(nic.model.reported_gb_per_second, row.gb_per_second) << nic.name;
    // What a device without RDMA says, and what one with it does.
    EXPECT_EQ(nic.model.max_rdma_size > 0, nic.model.rdma_read) << nic.name;
  }
}

TEST_P(InstanceTypeTest, TheChosenNicHasTheseRelations) {
  const Nic& nic = NicNamed(seen_, GetParam().nic);
  std::string relations;
  for (std::string_view rest = GetParam().relations; !rest.empty();) {
    const std::string_view entry = rest.substr(0, rest.find("; "));
    rest.remove_prefix(std::min(rest.size(), entry.size() + 2));
    const auto place = MemoryPlace::Parse(entry.substr(0, entry.find(' ')));
    ASSERT_TRUE(place) << entry;
    relations += fmt::format("{}{} {}", relations.empty() ? "" : "; ", place->ToString(),
                             ToString(RelationOf(seen_, nic, *place).relation));
  }
  EXPECT_EQ(relations, GetParam().relations);
}

TEST_P(InstanceTypeTest, TheLineRateIsWhatTheNicReports) {
  for (const EmulatedNic& nic : emulated_.nics) {
    EXPECT_DOUBLE_EQ(nic.line_rate.value * 8 / 1e9, GetParam().gb_per_second) << nic.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, InstanceTypeTest, testing::ValuesIn(kTypes),
                         [](const auto& row) { return TestNameOf(row.param.type); });

TEST(InstanceTypesTest, EveryTypeOfTheFolderHasARow) {
  std::set<std::string> rows;
  for (const TypeRow& row : kTypes) EXPECT_TRUE(rows.insert(row.type).second) << row.type;
  const auto types = ListInstanceTypes("scenarios");
  ASSERT_TRUE(types);
  EXPECT_EQ(std::vector<std::string>(rows.begin(), rows.end()), *types);
}

// The table of the README is written by hand; that it is whole is not left to chance.
TEST(InstanceTypesTest, TheReadmeListsEveryType) {
  const auto readme = ReadFile("README.md");
  ASSERT_TRUE(readme) << readme.error().ToString();
  for (const TypeRow& row : kTypes) {
    EXPECT_NE(readme->find(fmt::format("`{}`", row.type)), std::string::npos) << row.type;
  }
}

// A scaled machine shows its divided rates wherever a tool could look.
TEST(InstanceTypesTest, AScaledMachineShowsItsRates) {
  const SeenMachine& machine = SeeMachine("p5.48xlarge/16");
  EXPECT_EQ(machine.seen.instance_type, "p5.48xlarge/16");
  ASSERT_EQ(machine.seen.nics.size(), 32u);
  const Nic& nic = machine.seen.nics.front();
  ASSERT_TRUE(nic.position.link_speed);
  EXPECT_NEAR(nic.position.link_speed->value, 15.753846e9 / 16, 1e4);
  const auto rate = ReadAttribute(
      (machine.folder.path() / "sys/class/infiniband" / nic.name / "ports/1/rate").string());
  EXPECT_EQ(rate.value(), "6.25 Gb/sec (4X)");
}

// --- Against published exports.

class PublishedTest : public InstanceTypeTest {
 protected:
  void SetUp() override {
    const char* directory = std::getenv("RAILGAUGE_SHARED_DATA");
    if (directory == nullptr || *directory == '\0') {
      GTEST_SKIP()
          << "RAILGAUGE_SHARED_DATA is not set: no published exports here. The other tests "
             "of this file compare with the facts written in it";
    }
    const auto text = ReadFile(std::string(directory) + "/topologies.json");
    ASSERT_TRUE(text) << text.error().ToString();
    published_ = Json::parse(*text).at(GetParam().published_as);
    for (const EmulatedHostBridge& bridge : emulated_.host_bridges) {
      Collect(bridge.children, {});
    }
  }

  void Collect(const std::vector<EmulatedPciDevice>& devices, std::vector<std::string> above) {
    for (const EmulatedPciDevice& device : devices) {
      const std::string address = device.address.ToString();
      devices_[address] = &device;
      bridges_[address] = above;
      std::vector<std::string> below = above;
      below.push_back(address);
      Collect(device.children, below);
    }
  }

  static double LinkSpeed(const EmulatedPciDevice& device) {
    const double coding = device.link_gt_per_second < 8 ? 8.0 / 10 : 128.0 / 130;
    return device.link_gt_per_second * device.link_width * coding / 8;
  }

  // One function of the export: id, link, bridges above, and the name where it has one.
  void ExpectLike(const Json& published) {
    const std::string address = published.at("bdf");
    SCOPED_TRACE(address);
    ASSERT_TRUE(devices_.contains(address));
    const EmulatedPciDevice& device = *devices_.at(address);
    const bool other_gpu = std::string(GetParam().type) == "p4de.24xlarge" &&
                           device.kind == EmulatedPciDevice::Kind::kGpu;
    if (!other_gpu) {
      EXPECT_EQ(fmt::format("{:04x}:{:04x}", device.vendor_id, device.device_id),
                published.at("id").get<std::string>());
    }
    EXPECT_NEAR(LinkSpeed(device), published.at("link_GBs").get<double>(), 1e-4);
    EXPECT_EQ(bridges_.at(address),
              published.at("bridges_root_to_leaf").get<std::vector<std::string>>());
    if (!published.at("name").is_string()) return;
    const EmulatedNic* nic = emulated_.FindNic(device.address);
    EXPECT_EQ(nic != nullptr ? nic->name : device.network_interface + device.rdma_device,
              published.at("name").get<std::string>());
  }

  Json published_;
  std::map<std::string, const EmulatedPciDevice*> devices_;
  std::map<std::string, std::vector<std::string>> bridges_;
};

class PublishedTreeTest : public PublishedTest {};
class VendorMapTest : public PublishedTest {};

TEST_P(PublishedTreeTest, EveryFunctionIsThere) {
  std::map<std::string, size_t> counts;
  for (const Json& group : published_.at("groups")) {
    SCOPED_TRACE(group.at("host_bridge").get<std::string>());
    for (const char* kind : {"efa", "gpu", "ena", "other_ib"}) {
      for (const Json& device : group.at(kind)) {
        ++counts[kind];
        ExpectLike(device);
      }
    }
    if (!group.at("root_port").is_string()) continue;
    const std::string root = group.at("root_port");
    ASSERT_TRUE(devices_.contains(root));
    EXPECT_NEAR(LinkSpeed(*devices_.at(root)), group.at("uplink_GBs").get<double>(), 1e-4);
  }
  EXPECT_EQ(counts["efa"], emulated_.nics.size());
  EXPECT_EQ(counts["gpu"], emulated_.gpus.size());
  EXPECT_EQ(counts["other_ib"], seen_.other_rdma_devices.size());
}

// What hwloc makes of the tree, by host bridge: "0000:44" of the export's "0000:[44-54]".
TEST_P(PublishedTreeTest, HwlocSeesTheSameHostBridgesNodesAndLinks) {
  std::map<std::string, std::string> ranges;  // first to last bus, by the host bridge
  for (const EmulatedHostBridge& bridge : emulated_.host_bridges) {
    ranges[fmt::format("{:04x}:{:02x}", bridge.domain, bridge.bus)] =
        fmt::format("{:04x}:[{:02x}-{:02x}]", bridge.domain, bridge.bus, bridge.subordinate_bus);
  }
  const auto expect_position = [&](const PciPosition& position, const Json& group,
                                   const Json& device) {
    EXPECT_EQ(position.host_bridge.empty() ? "" : ranges[position.host_bridge],
              group.at("host_bridge").get<std::string>());
    const Json node = position.numa_node ? Json(*position.numa_node) : Json(nullptr);
    EXPECT_EQ(node, group.at("numa"));
    const double speed = position.link_speed ? position.link_speed->value / 1e9 : 0;
    // Of PCIe 6 the versions of hwloc have two opinions, 128 of 130 bits and 242 of 256 bytes.
    const auto published = device.at("link_GBs").get<double>();
    EXPECT_NEAR(speed, published, published > 100 ? 0.05 * published : 1e-4);
  };
  for (const Json& group : published_.at("groups")) {
    for (const Json& device : group.at("efa")) {
      const Nic* nic = seen_.FindNic(*PciAddress::Parse(device.at("bdf").get<std::string>()));
      ASSERT_NE(nic, nullptr) << device;
      SCOPED_TRACE(nic->name);
      expect_position(nic->position, group, device);
    }
    for (const Json& device : group.at("gpu")) {
      const Gpu* gpu = seen_.FindGpu(*PciAddress::Parse(device.at("bdf").get<std::string>()));
      ASSERT_NE(gpu, nullptr) << device;
      SCOPED_TRACE(gpu->position.address.ToString());
      expect_position(gpu->position, group, device);
    }
  }
}

// Vendor maps name the NIC of each accelerator, and so all NICs.
TEST_P(VendorMapTest, NamesTheseNics) {
  std::set<PciAddress> mapped, seen;
  std::map<PciAddress, size_t> served;
  for (const auto& [neuron, nic] : published_.at("neuron_to_efa").items()) {
    mapped.insert(*PciAddress::Parse(nic.get<std::string>()));
    ++served[*PciAddress::Parse(nic.get<std::string>())];
  }
  for (const Nic& nic : seen_.nics) seen.insert(nic.position.address);
  EXPECT_EQ(seen, mapped);
  for (const auto& [nic, count] : served) {
    EXPECT_EQ(count, seen_.accelerators.size() / seen_.nics.size()) << nic.ToString();
  }
}

// The types whose tree is published, or those of which only a vendor's map is.
std::vector<TypeRow> TypesWith(bool vendor_map) {
  std::vector<TypeRow> rows(std::begin(kTypes), std::end(kTypes));
  std::erase_if(rows, [&](const TypeRow& row) { return (row.accelerators > 0) != vendor_map; });
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Types, PublishedTreeTest, testing::ValuesIn(TypesWith(false)),
                         [](const auto& row) { return TestNameOf(row.param.type); });
INSTANTIATE_TEST_SUITE_P(Types, VendorMapTest, testing::ValuesIn(TypesWith(true)),
                         [](const auto& row) { return TestNameOf(row.param.type); });

}  // namespace
}  // namespace railgauge
