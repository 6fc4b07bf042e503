#include "lib/placement/suspects.h"

#include <algorithm>

#include "fmt/core.h"

namespace railgauge {
namespace {

// What of a group crosses a resource: for certain, and if what is not certain holds.
struct Share {
  size_t members = 0, members_if = 0;
  double throughput = 0, throughput_if = 0;
};

std::map<Resource, Share> SharesOf(std::span<const LoadedMember> group) {
  std::map<Resource, Share> shares;
  for (const LoadedMember& member : group) {
    for (const Crossing& crossing : member.crossings) {
      Share& share = shares[crossing.resource];
      ++share.members_if;
      share.throughput_if += member.throughput;
      if (!crossing.certain) continue;
      ++share.members;
      share.throughput += member.throughput;
    }
  }
  return shares;
}

std::string ManyOf(Resource::Kind kind, size_t count) {
  switch (kind) {
    case Resource::Kind::kNic:
      return fmt::format("{} NICs that are an end of two", count);
    case Resource::Kind::kUplink:
      return fmt::format("the uplinks of {} switches", count);
    case Resource::Kind::kHostBridge:
      return fmt::format("{} host bridges", count);
    case Resource::Kind::kNodeLink:
      return fmt::format("{} links between NUMA nodes", count);
    case Resource::Kind::kNodeMemory:
      return fmt::format("the memory of {} NUMA nodes", count);
    case Resource::Kind::kGpuLink:
      return fmt::format("the links of {} GPUs", count);
    case Resource::Kind::kInterconnect:
      return fmt::format("interconnects with {} ids", count);
    case Resource::Kind::kOtherHost:
      break;
  }
  return fmt::format("{} other hosts", count);
}

std::string Caveat(const Crossing& crossing) {
  if (crossing.certain) return "";
  switch (crossing.resource.kind) {
    case Resource::Kind::kUplink:
    case Resource::Kind::kHostBridge:
      return " (if traffic below it is redirected there)";
    case Resource::Kind::kInterconnect:
      return " (if these devices mean the same by it)";
    default:
      return "";
  }
}

}  // namespace

void Carried::Add(std::span<const LoadedMember> group) {
  for (const auto& [resource, share] : SharesOf(group)) {
    Most& most = most_[resource];
    most.certain = std::max(most.certain, share.throughput);
    most.hypothetical = std::max(most.hypothetical, share.throughput_if);
  }
}

double Carried::MostOf(const Crossing& crossing) const {
  const auto found = most_.find(crossing.resource);
  if (found == most_.end()) return 0;
  return crossing.certain ? found->second.certain : found->second.hypothetical;
}

Suspects FindSuspects(std::span<const LoadedMember> group, const Carried& carried, double differs) {
  Suspects suspects;
  for (const auto& [resource, share] : SharesOf(group)) {
    const Crossing certain = {resource, true};
    const Crossing hypothetical = {resource, false};
    if (share.members >= 2 && carried.MostOf(certain) <= share.throughput * (1 + differs)) {
      suspects.left.push_back(certain);
    } else if (share.members_if >= 2 && share.members_if > share.members &&
               carried.MostOf(hypothetical) <= share.throughput_if * (1 + differs)) {
      suspects.left.push_back(hypothetical);
    } else if (share.members >= 2) {
      suspects.cleared.push_back(certain);
    }
  }
  return suspects;
}

std::string ListOf(std::span<const Crossing> suspects) {
  constexpr size_t kNamed = 3;
  std::map<Resource::Kind, size_t> counts;
  for (const Crossing& crossing : suspects) ++counts[crossing.resource.kind];
  std::vector<std::string> items;
  for (const Crossing& crossing : suspects) {
    size_t& count = counts[crossing.resource.kind];
    if (count <= kNamed) {
      items.push_back(crossing.resource.ToString() + Caveat(crossing));
    } else if (count != SIZE_MAX) {
      items.push_back(ManyOf(crossing.resource.kind, count) + Caveat(crossing));
      count = SIZE_MAX;  // said
    }
  }
  std::string list;
  for (size_t i = 0; i < items.size(); ++i) {
    list += i == 0 ? "" : i + 1 == items.size() ? " or " : ", ";
    list += items[i];
  }
  return list;
}

}  // namespace railgauge
