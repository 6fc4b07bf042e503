#include "lib/topology/relation.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

#include "fmt/core.h"
#include "lib/base/result.h"

namespace railgauge {
namespace {

// The number of bridges, from the root port down, that two functions have in common.
size_t CommonBridges(const PciPosition& a, const PciPosition& b) {
  const auto [end, unused] =
      std::mismatch(a.bridges.begin(), a.bridges.end(), b.bridges.begin(), b.bridges.end());
  return static_cast<size_t>(end - a.bridges.begin());
}

// "0000:4f:00.0 < 0000:46:01.0 < 0000:45:00.0": from the function up to its bridge number `top`
// (0 is the root port). `top` == the number of bridges: the function alone.
std::string PathUp(const PciPosition& position, size_t top) {
  std::string path = position.address.ToString();
  for (size_t i = position.bridges.size(); i > top; --i) {
    path += " < " + position.bridges[i - 1].ToString();
  }
  return path;
}

// " > 0000:46:01.4 > 0000:53:00.0": from bridge number `top` down to the function.
std::string PathDown(const PciPosition& position, size_t top) {
  std::string path;
  for (size_t i = top; i < position.bridges.size(); ++i) {
    path += " > " + position.bridges[i].ToString();
  }
  return path + " > " + position.address.ToString();
}

// PCI-PCI bridges and the host bridge between the function and its NUMA node.
int HopsToNode(const PciPosition& position) {
  return static_cast<int>(position.bridges.size()) + (position.host_bridge.empty() ? 0 : 1);
}

std::string PathUpToNode(const PciPosition& position) {
  std::string path = PathUp(position, 0);
  if (!position.host_bridge.empty()) path += " < " + position.host_bridge;
  return path + fmt::format(" < numa{}", *position.numa_node);
}

RelationResult RelationToNode(const PciPosition& nic, uint32_t node) {
  if (!nic.numa_node) return {};
  if (*nic.numa_node == node) {
    return {Relation::kSameNumaNode, PathUpToNode(nic), HopsToNode(nic)};
  }
  return {Relation::kOtherNumaNode, PathUpToNode(nic) + fmt::format(" = numa{}", node),
          HopsToNode(nic)};
}

// `gpu` may be an accelerator as well.
RelationResult RelationToGpu(const PciPosition& nic, const PciPosition& gpu) {
  const size_t common = CommonBridges(nic, gpu);
  if (common > 0) {
    // The lowest common bridge, where the traffic turns, is crossed once.
    const size_t turn = common - 1;
    return {Relation::kSameSwitch, PathUp(nic, turn) + PathDown(gpu, common),
            static_cast<int>(nic.bridges.size() + gpu.bridges.size() - 2 * common + 1)};
  }
  const int bridges = static_cast<int>(nic.bridges.size() + gpu.bridges.size());
  if (!nic.host_bridge.empty() && nic.host_bridge == gpu.host_bridge) {
    return {Relation::kSameHostBridge, PathUp(nic, 0) + " < " + nic.host_bridge + PathDown(gpu, 0),
            bridges + 1};
  }
  if (!nic.numa_node || !gpu.numa_node) return {};
  RelationResult result = RelationToNode(nic, *gpu.numa_node);
  if (!gpu.host_bridge.empty()) result.pci_path += " > " + gpu.host_bridge;
  result.pci_path += PathDown(gpu, 0);
  result.hops += HopsToNode(gpu);
  return result;
}

std::string GroupName(const Machine& machine, const PciPosition& position) {
  if (machine.flat) return "flat";
  if (!position.bridges.empty()) return "switch " + position.bridges.front().ToString();
  if (!position.host_bridge.empty()) return "host bridge " + position.host_bridge;
  return "unknown";
}

// The NUMA node of a group: that of its NICs, which share a host bridge and so agree.
std::optional<uint32_t> NodeOf(const Machine& machine, const NicGroup& group) {
  if (machine.flat) return std::nullopt;
  return machine.FindNic(group.nics.front())->position.numa_node;
}

// The groups that partners of `own`'s NICs are looked for in, in order, `own` among them.
std::vector<size_t> PartnerGroups(const Machine& machine, const std::vector<NicGroup>& groups,
                                  size_t own) {
  std::vector<std::optional<uint32_t>> nodes;
  for (const NicGroup& group : groups) nodes.push_back(NodeOf(machine, group));
  const auto is_lone = [&](size_t i) {
    return !nodes[i] || std::count(nodes.begin(), nodes.end(), nodes[i]) == 1;
  };
  std::vector<size_t> all;
  std::vector<size_t> chosen;
  for (size_t i = 0; i < groups.size(); ++i) {
    all.push_back(i);
    if (is_lone(own) ? is_lone(i) : nodes[i] == nodes[own]) chosen.push_back(i);
  }
  return chosen.size() > 1 ? chosen : all;
}

}  // namespace

RelationResult RelationOf(const Machine& machine, const Nic& nic, const MemoryPlace& place) {
  if (machine.flat) return {};
  if (place.is_host()) return RelationToNode(nic.position, place.numa_node);
  if (const Gpu* gpu = machine.FindGpu(place.gpu); place.is_gpu() && gpu != nullptr) {
    return RelationToGpu(nic.position, gpu->position);
  }
  if (const Accelerator* item = machine.FindAccelerator(place.gpu); item != nullptr) {
    return RelationToGpu(nic.position, item->position);
  }
  return {};
}

std::vector<NicGroup> GroupNics(const Machine& machine) {
  std::vector<NicGroup> groups;
  for (const Nic& nic : machine.nics) {
    std::string name = GroupName(machine, nic.position);
    const auto same_name = [&](const NicGroup& group) { return group.name == name; };
    auto group = std::find_if(groups.begin(), groups.end(), same_name);
    if (group == groups.end()) group = groups.insert(group, NicGroup{std::move(name), {}});
    group->nics.push_back(nic.position.address);
  }
  return groups;
}

namespace {

// Where a NIC is: its group, and the position in it. Aborts where it is in none.
struct Seat {
  size_t group = 0;
  size_t position = 0;
};

Seat SeatOf(const std::vector<NicGroup>& groups, const PciAddress& nic) {
  for (size_t i = 0; i < groups.size(); ++i) {
    const std::vector<PciAddress>& nics = groups[i].nics;
    const auto it = std::find(nics.begin(), nics.end(), nic);
    if (it != nics.end()) return {i, static_cast<size_t>(it - nics.begin())};
  }
  RAILGAUGE_CHECK(false);
  return {};
}

// The NIC of the next group.
PciAddress NextPartnerOf(const Machine& machine, const std::vector<NicGroup>& groups,
                         const PciAddress& nic, const MemoryPlace& place) {
  const Seat seat = SeatOf(groups, nic);
  const size_t own = seat.group;
  size_t position = seat.position;
  if (groups.size() == 1) {
    const std::vector<PciAddress>& nics = groups[0].nics;
    return nics[(position + 1) % nics.size()];
  }
  const Gpu* gpu = place.is_gpu() ? machine.FindGpu(place.gpu) : nullptr;
  const std::string place_group = gpu != nullptr ? GroupName(machine, gpu->position) : "";
  const auto next_of = [&](const std::vector<size_t>& candidates) -> const NicGroup* {
    const auto here = std::find(candidates.begin(), candidates.end(), own);
    const size_t index = static_cast<size_t>(here - candidates.begin());
    for (size_t step = 1; step < candidates.size(); ++step) {
      const NicGroup& group = groups[candidates[(index + step) % candidates.size()]];
      if (group.name == place_group) continue;
      if (index + step >= candidates.size()) ++position;
      return &group;
    }
    return nullptr;
  };
  std::vector<size_t> all(groups.size());
  std::iota(all.begin(), all.end(), size_t{0});
  const NicGroup* partners = next_of(PartnerGroups(machine, groups, own));
  if (partners == nullptr) partners = next_of(all);
  // Two groups in all, and the place is below the other one: it has to be shared.
  if (partners == nullptr) partners = &groups[own == 0 ? 1 : 0];
  return partners->nics[position % partners->nics.size()];
}

// The NIC of the node of `place` that sits there as `nic` does on its own; empty where that node
// has none.
std::optional<PciAddress> CounterpartOf(const Machine& machine, const std::vector<NicGroup>& groups,
                                        const PciAddress& nic, const MemoryPlace& place) {
  const Seat seat = SeatOf(groups, nic);
  const std::optional<uint32_t> own_node = NodeOf(machine, groups[seat.group]);
  std::vector<const NicGroup*> there;
  size_t rank = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    const std::optional<uint32_t> node = NodeOf(machine, groups[i]);
    if (node == place.numa_node) there.push_back(&groups[i]);
    if (i < seat.group && node == own_node) ++rank;
  }
  if (there.empty()) return std::nullopt;
  const std::vector<PciAddress>& nics = there[rank % there.size()]->nics;
  return nics[seat.position % nics.size()];
}

}  // namespace

PciAddress PartnerOf(const Machine& machine, const PciAddress& nic, const MemoryPlace& place) {
  const std::vector<NicGroup> groups = GroupNics(machine);
  const PciAddress partner = NextPartnerOf(machine, groups, nic, place);
  const std::optional<uint32_t> node = machine.FindNic(nic)->position.numa_node;
  const bool other_node = place.is_host() && !machine.flat && node && *node != place.numa_node;
  if (!other_node || NextPartnerOf(machine, groups, partner, place) != nic) return partner;
  return CounterpartOf(machine, groups, nic, place).value_or(partner);
}

}  // namespace railgauge
