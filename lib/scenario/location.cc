#include "lib/scenario/location.h"

#include <algorithm>

#include "fmt/core.h"
#include "lib/base/result.h"

namespace railgauge {

std::string PciLocation::Uplink() const {
  return bridges.empty() ? fmt::format("{:04x}:{:02x}", host_bridge.domain, host_bridge.bus)
                         : bridges.front().ToString();
}

namespace {

// One host bridge, and neither a bridge above a NIC or GPU nor a choice of NUMA nodes for any.
bool IsFlat(const EmulatedMachine& machine, const std::map<PciAddress, PciLocation>& locations) {
  const auto has_cpus = [](const EmulatedNumaNode& node) { return !node.cpus.empty(); };
  const bool choice =
      std::count_if(machine.numa_nodes.begin(), machine.numa_nodes.end(), has_cpus) > 1;
  const auto tells = [&](const PciAddress& address) {
    const PciLocation& location = locations.at(address);
    return !location.bridges.empty() || (choice && location.numa_node);
  };
  return machine.host_bridges.size() == 1 &&
         std::none_of(machine.nics.begin(), machine.nics.end(),
                      [&](const EmulatedNic& nic) { return tells(nic.address); }) &&
         std::none_of(machine.gpus.begin(), machine.gpus.end(),
                      [&](const EmulatedGpu& gpu) { return tells(gpu.address); }) &&
         std::none_of(machine.accelerators.begin(), machine.accelerators.end(), tells);
}

}  // namespace

PciLocations::PciLocations(const EmulatedMachine& machine) {
  for (const EmulatedHostBridge& bridge : machine.host_bridges) {
    PciLocation location;
    location.host_bridge = {bridge.domain, bridge.bus, 0, 0};
    location.numa_node = bridge.numa_node;
    Add(bridge.children, location);
  }
  flat_ = IsFlat(machine, locations_);
}

void PciLocations::Add(const std::vector<EmulatedPciDevice>& devices, const PciLocation& above) {
  for (const EmulatedPciDevice& device : devices) {
    locations_[device.address] = above;
    PciLocation below = above;
    below.bridges.push_back(device.address);
    Add(device.children, below);
  }
}

const PciLocation& PciLocations::Of(const PciAddress& address) const {
  const auto found = locations_.find(address);
  RAILGAUGE_CHECK(found != locations_.end());
  return found->second;
}

Relation PciLocations::RelationOf(const PciAddress& nic, const MemoryPlace& place) const {
  if (flat_) return Relation::kUnknown;
  const PciLocation& from = Of(nic);
  std::optional<uint32_t> numa_node = place.numa_node;
  if (!place.is_host()) {
    const PciLocation& to = Of(place.gpu);
    numa_node = to.numa_node;
    if (from.host_bridge == to.host_bridge) {
      const bool common_bridge = !from.bridges.empty() && !to.bridges.empty() &&
                                 from.bridges.front() == to.bridges.front();
      return common_bridge ? Relation::kSameSwitch : Relation::kSameHostBridge;
    }
  }
  if (!from.numa_node || !numa_node) return Relation::kUnknown;
  return *from.numa_node == *numa_node ? Relation::kSameNumaNode : Relation::kOtherNumaNode;
}

}  // namespace railgauge
