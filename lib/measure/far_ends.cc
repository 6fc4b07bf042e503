#include "lib/measure/far_ends.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "lib/measure/roles.h"
#include "lib/topology/relation.h"

namespace railgauge {
namespace {

// The groups such that neighbours in the list lie on different NUMA nodes where that can be.
std::vector<NicGroup> GroupsByTurns(const Machine& machine) {
  std::map<std::optional<uint32_t>, std::vector<NicGroup>> by_node;
  size_t most = 0;
  for (NicGroup& group : GroupNics(machine)) {
    auto& groups = by_node[machine.FindNic(group.nics.front())->position.numa_node];
    groups.push_back(std::move(group));
    most = std::max(most, groups.size());
  }
  std::vector<NicGroup> turns;
  for (size_t i = 0; i < most; ++i) {
    for (auto& [node, groups] : by_node) {
      if (i < groups.size()) turns.push_back(std::move(groups[i]));
    }
  }
  return turns;
}

// NIC number `position` of group number `own` goes `position` groups farther than number 0: among
// groups of one size that is a permutation. What other sizes leave is taken where it is free.
PciAddress PartnerFor(const std::vector<NicGroup>& groups, size_t own, size_t position,
                      const std::set<PciAddress>& taken) {
  const PciAddress& nic = groups[own].nics[position];
  std::vector<PciAddress> candidates;
  const size_t others = groups.size() - 1;
  for (size_t step = 0; step < others; ++step) {
    const NicGroup& group = groups[(own + 1 + (position + step) % others) % groups.size()];
    for (size_t i = 0; i < group.nics.size(); ++i) {
      candidates.push_back(group.nics[(position + i) % group.nics.size()]);
    }
  }
  for (size_t i = 1; i <= groups[own].nics.size(); ++i) {
    candidates.push_back(groups[own].nics[(position + i) % groups[own].nics.size()]);
  }
  const auto is_free = [&](const PciAddress& candidate) {
    return candidate != nic && !taken.contains(candidate);
  };
  const auto found = std::find_if(candidates.begin(), candidates.end(), is_free);
  return found != candidates.end() ? *found : candidates.front();
}

std::optional<MemoryPlace> FarPlace(const Machine& machine, std::span<const PciAddress> gpus,
                                    const Nic& partner, size_t position) {
  std::vector<MemoryPlace> below_switch;
  for (const PciAddress& gpu : gpus) {
    const MemoryPlace place = MemoryPlace::Gpu(gpu);
    if (RelationOf(machine, partner, place).relation == Relation::kSameSwitch) {
      below_switch.push_back(place);
    }
  }
  if (!below_switch.empty()) return below_switch[position % below_switch.size()];
  return PartnerPlace(machine, partner);
}

}  // namespace

std::map<PciAddress, FarEnd> ChooseFarEnds(const Machine& machine,
                                           std::span<const PciAddress> gpus) {
  const std::vector<NicGroup> groups = GroupsByTurns(machine);
  std::map<PciAddress, FarEnd> far_ends;
  std::set<PciAddress> taken;
  for (size_t own = 0; own < groups.size(); ++own) {
    for (size_t position = 0; position < groups[own].nics.size(); ++position) {
      const PciAddress partner = PartnerFor(groups, own, position, taken);
      taken.insert(partner);
      const auto place = FarPlace(machine, gpus, *machine.FindNic(partner), position);
      if (place) far_ends[groups[own].nics[position]] = {partner, *place};
    }
  }
  return far_ends;
}

}  // namespace railgauge
