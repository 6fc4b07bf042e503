#include "lib/measure/load_sets.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include "fmt/core.h"
#include "lib/measure/group_run.h"
#include "lib/measure/roles.h"
#include "lib/measure/shape.h"
#include "lib/topology/relation.h"

namespace railgauge {
namespace {

// Which place each NIC has in a set, and how the title says it.
struct Pattern {
  std::string words;
  std::map<PciAddress, MemoryPlace> places;
};

// A kind of traffic.
struct Traffic {
  Operation operation;
  Direction direction;
  Bytes size;
};

Pattern NearestGpus(const Machine& machine, const LoadRequest& request) {
  Pattern pattern{"each NIC at its nearest GPU", {}};
  std::map<std::vector<MemoryPlace>, size_t> used;  // how many NICs had the same choice
  for (const NicKey& key : request.nics) {
    std::vector<MemoryPlace> nearest;
    std::optional<std::pair<Relation, int>> least;
    for (const MemoryPlace& gpu : request.gpus) {
      const RelationResult result = RelationOf(machine, *machine.FindNic(key.address), gpu);
      const std::pair distance(result.relation, result.hops);
      if (!least || distance < *least) nearest.clear();
      if (!least || distance <= *least) {
        least = distance;
        nearest.push_back(gpu);
      }
    }
    if (nearest.empty()) continue;
    const size_t turn = used[nearest]++;
    pattern.places.emplace(key.address, nearest[turn % nearest.size()]);
  }
  return pattern;
}

Pattern OwnNodes(const Machine& machine, const LoadRequest& request) {
  Pattern pattern{"each NIC at its own NUMA node", {}};
  for (const NicKey& key : request.nics) {
    const auto place = PartnerPlace(machine, *machine.FindNic(key.address));
    if (place) pattern.places.emplace(key.address, *place);
  }
  return pattern;
}

std::vector<Pattern> PatternsOf(const Machine& machine, const LoadRequest& request) {
  if (request.places.empty()) {
    return {NearestGpus(machine, request), OwnNodes(machine, request)};
  }
  std::vector<Pattern> patterns;
  for (const MemoryPlace& place : request.places) {
    Pattern pattern{fmt::format("all at {}", place.ToString()), {}};
    for (const NicKey& nic : request.nics) pattern.places.emplace(nic.address, place);
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

// "switch 0000:44:00.0" as a load is called.
std::string LoadName(std::string group) {
  const size_t last = group.rfind(' ');
  if (last == std::string::npos) return group;
  group[last] = ':';
  std::replace(group.begin(), group.end(), ' ', '_');
  return group;
}

using Members = std::vector<PciAddress>;
using NamedMembers = std::vector<std::pair<std::string, Members>>;

// In the order in which their names come first.
void Join(const std::string& name, const PciAddress& nic, NamedMembers& groups) {
  auto found = std::find_if(groups.begin(), groups.end(),
                            [&](const auto& group) { return group.first == name; });
  if (found == groups.end()) found = groups.insert(found, {name, {}});
  found->second.push_back(nic);
}

NamedMembers BySwitch(const Machine& machine, const Members& nics) {
  NamedMembers groups;
  for (const NicGroup& group : GroupNics(machine)) {
    // Where nothing is known, nothing is known to be shared.
    if (group.name == "flat" || group.name == "unknown") continue;
    for (const PciAddress& nic : group.nics) {
      if (std::find(nics.begin(), nics.end(), nic) != nics.end()) {
        Join(LoadName(group.name), nic, groups);
      }
    }
  }
  return groups;
}

NamedMembers ByNode(const Machine& machine, const Members& nics) {
  NamedMembers groups;
  if (machine.flat) return groups;
  for (const PciAddress& nic : nics) {
    const auto& node = machine.FindNic(nic)->position.numa_node;
    if (node) Join(fmt::format("numa{}", *node), nic, groups);
  }
  return groups;
}

NamedMembers ById(std::span<const CensusRow> census, const Members& nics, const Pattern& pattern,
                  const Traffic& traffic) {
  NamedMembers groups;
  const auto field = AttributingField(traffic.operation, traffic.direction);
  if (!field) return groups;
  for (const PciAddress& nic : nics) {
    for (const CensusRow& row : census) {
      if (row.nic.address != nic || row.place != pattern.places.at(nic)) continue;
      if (row.status != CensusStatus::kOk) continue;
      // Of the ways to register it the first: that is how it will be.
      if (const auto& id = row.ids.Get(*field)) Join(fmt::format("id:{}", *id), nic, groups);
      break;
    }
  }
  return groups;
}

NamedMembers GroupsOf(const Machine& machine, std::span<const CensusRow> census, GroupKind kind,
                      const Members& nics, const Pattern& pattern, const Traffic& traffic) {
  switch (kind) {
    case GroupKind::kSwitch:
      return BySwitch(machine, nics);
    case GroupKind::kNuma:
      return ByNode(machine, nics);
    case GroupKind::kId:
      return ById(census, nics, pattern, traffic);
    case GroupKind::kAll:
      break;
  }
  return {{"all", nics}};
}

Cell CellOf(const LoadRequest& request, const PciAddress& nic, const Pattern& pattern,
            const Traffic& traffic, const std::string& load) {
  Cell cell;
  cell.nic = *std::find_if(request.nics.begin(), request.nics.end(),
                           [&](const NicKey& key) { return key.address == nic; });
  cell.place = pattern.places.at(nic);
  cell.operation = traffic.operation;
  cell.direction = traffic.direction;
  cell.size = traffic.size;
  cell.depth = DefaultDepth(traffic.size);
  cell.load = load;
  return cell;
}

std::string TitleOf(const Traffic& traffic, bool both, const Pattern& pattern) {
  return fmt::format("{} {}, {}, {}", traffic.operation == Operation::kRead ? "READ" : "WRITE",
                     both ? "to_memory and from_memory" : ToString(traffic.direction),
                     FormatBytes(traffic.size), pattern.words);
}

LoadSet MakeSet(const Machine& machine, std::span<const CensusRow> census,
                const LoadRequest& request, const Pattern& pattern, const Traffic& traffic) {
  LoadSet set{TitleOf(traffic, false, pattern), {}};
  Members nics;
  for (const NicKey& nic : request.nics) {
    if (pattern.places.contains(nic.address)) nics.push_back(nic.address);
  }
  std::set<std::set<PciAddress>> known;
  for (const GroupKind kind : request.kinds) {
    for (const auto& [name, members] : GroupsOf(machine, census, kind, nics, pattern, traffic)) {
      const std::set<PciAddress> who(members.begin(), members.end());
      if (members.size() < 2 || !known.insert(who).second) continue;
      LoadGroup group{name, {}};
      for (const PciAddress& nic : members) {
        group.members.push_back(CellOf(request, nic, pattern, traffic, name));
      }
      set.groups.push_back(std::move(group));
    }
  }
  return set;
}

// READ both ways: then the NIC posts one direction and its partner the other.
LoadSet MakeBidirectionalSet(const LoadRequest& request, const Pattern& pattern, Bytes size) {
  const Traffic to = {Operation::kRead, Direction::kToMemory, size};
  const Traffic from = {Operation::kRead, Direction::kFromMemory, size};
  LoadSet set{TitleOf(to, true, pattern), {}};
  for (const NicKey& nic : request.nics) {
    if (!pattern.places.contains(nic.address)) continue;
    LoadGroup group{"bidirectional", {}};
    for (const Traffic& traffic : {to, from}) {
      group.members.push_back(CellOf(request, nic.address, pattern, traffic, group.load));
    }
    set.groups.push_back(std::move(group));
  }
  return set;
}

size_t WindowsPerRound(std::span<const LoadSet> sets) {
  size_t windows = 0;
  for (const LoadSet& set : sets) windows += PlanRound(set, 1).size();
  return windows;
}

}  // namespace

std::vector<LoadSet> MakeLoadSets(const Machine& machine, std::span<const CensusRow> census,
                                  const LoadRequest& request) {
  std::vector<LoadSet> sets;
  const auto add = [&](LoadSet set) {
    if (!set.groups.empty()) sets.push_back(std::move(set));
  };
  const std::vector<Pattern> patterns = PatternsOf(machine, request);
  for (const Bytes size : request.sizes) {
    for (const Pattern& pattern : patterns) {
      if (request.bidirectional) {
        add(MakeBidirectionalSet(request, pattern, size));
        continue;
      }
      const Operation from = request.rdma_write ? Operation::kWrite : Operation::kRead;
      for (const Traffic& traffic : {Traffic{Operation::kRead, Direction::kToMemory, size},
                                     Traffic{from, Direction::kFromMemory, size}}) {
        add(MakeSet(machine, census, request, pattern, traffic));
      }
    }
  }
  return sets;
}

std::vector<LoadWindow> PlanRound(const LoadSet& set, uint32_t round, uint64_t seed) {
  std::vector<LoadWindow> windows;
  std::set<Cell> alone;
  for (const LoadGroup& group : set.groups) {
    for (Cell cell : group.members) {
      cell.load = "alone";
      if (alone.insert(cell).second) windows.push_back({{cell}, round});
    }
    windows.push_back({group.members, round});
  }
  // Not std::shuffle, which differs between libraries.
  std::mt19937_64 random(seed * 1000003 + round);
  for (size_t i = windows.size(); i > 1; --i) std::swap(windows[i - 1], windows[random() % i]);
  return windows;
}

WindowTiming LoadTiming(std::span<const LoadSet> sets, uint32_t rounds, Nanoseconds budget) {
  WindowTiming timing;
  constexpr Nanoseconds kLongest = std::chrono::milliseconds{100};
  constexpr Nanoseconds kShortest = std::chrono::milliseconds{10};
  const auto windows = static_cast<int64_t>(WindowsPerRound(sets) * rounds);
  timing.window = kLongest;
  if (windows == 0) return timing;
  // A window is followed by its tail, a quarter of it.
  const Nanoseconds left = budget / windows - timing.warm_up - kLoadWindowCost;
  timing.window = std::clamp(left * 4 / 5, kShortest, kLongest);
  return timing;
}

Nanoseconds EstimateLoad(std::span<const LoadSet> sets, uint32_t rounds,
                         const WindowTiming& timing) {
  const auto windows = static_cast<int64_t>(WindowsPerRound(sets) * rounds);
  return windows * (timing.warm_up + timing.window + CommonTail(timing.window) + kLoadWindowCost);
}

std::vector<uint32_t> RoundsWithin(std::span<const LoadSet> sets, const RoundLimits& limits,
                                   const WindowTiming& timing, Nanoseconds budget) {
  std::vector<uint32_t> rounds;
  Nanoseconds left = budget;
  for (size_t i = 0; i < sets.size(); ++i) {
    const Nanoseconds round = EstimateLoad(sets.subspan(i, 1), 1, timing);
    const int64_t within_share = left / static_cast<int64_t>(sets.size() - i) / round;
    const int64_t wanted = std::clamp<int64_t>(within_share, limits.enough, limits.most);
    const int64_t done = std::min(wanted, left / round);
    rounds.push_back(static_cast<uint32_t>(done));
    // A set that is not finished takes what there is.
    left = done < wanted ? Nanoseconds{0} : left - done * round;
  }
  return rounds;
}

std::optional<Nanoseconds> LongerWindow(std::span<const Sample> samples) {
  std::optional<Nanoseconds> longest;
  for (const Sample& sample : samples) {
    if (sample.status != SampleStatus::kShortWindow || sample.disturbed == true) continue;
    if (sample.completions == 0 || sample.completions > sample.cell.depth) continue;
    const double missing = 1.25 * (sample.cell.depth + 1) / static_cast<double>(sample.completions);
    const Nanoseconds wanted = std::chrono::duration_cast<Nanoseconds>(sample.duration * missing);
    longest = std::max(longest.value_or(wanted), wanted);
  }
  return longest;
}

}  // namespace railgauge
