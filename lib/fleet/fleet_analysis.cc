#include "lib/fleet/fleet_analysis.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "fmt/core.h"
#include "lib/fleet/fleet_screen.h"
#include "lib/stats/median.h"

namespace railgauge {
namespace {

Direction Opposite(Direction direction) {
  return direction == Direction::kToMemory ? Direction::kFromMemory : Direction::kToMemory;
}

// What the runs of the fleet show of one slot of a node beside a given run.
class Elsewhere {
 public:
  Elsewhere(const FleetTable& table, const FleetGates& gates, const FleetAnalysis& analysis)
      : table_(table), gates_(gates), analysis_(analysis) {
    for (size_t run = 0; run < table.runs().size(); ++run) {
      const PlannedPair& pair = table.runs()[run].pair;
      runs_of_[pair.initiator].push_back(run);
      runs_of_[pair.target].push_back(run);
    }
    for (const LowPart& low : analysis.low_parts) {
      for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
        if (!low.direction || low.direction == direction) {
          low_.insert({low.run, low.slot, direction});
        }
      }
    }
  }

  struct Answer {
    bool known = false;  // it was measured with another peer
    bool low = false;    // and is slow there, too
  };

  // Whether `node` is as slow with others than `peer`.
  Answer SlotOf(size_t node, size_t peer, uint32_t slot, double deviation) const {
    std::vector<double> others;
    for (const size_t run : RunsWithout(node, peer)) {
      if (const SlotStanding* standing = Find(run, slot)) others.push_back(standing->deviation);
    }
    if (others.empty()) return {};
    return {true, MedianInPlace(others) <= gates_.shared_blame * deviation};
  }

  // Whether `node`'s slot, or a part of it, is low with others, where the device moves data in
  // `direction`, as seen from `node`.
  bool PartOf(size_t node, size_t peer, uint32_t slot, Direction direction) const {
    for (const size_t run : RunsWithout(node, peer)) {
      const bool initiates = table_.runs()[run].pair.initiator == node;
      const SlotStanding* standing = Find(run, slot);
      if (standing != nullptr && standing->low) return true;
      if (low_.count({run, slot, initiates ? direction : Opposite(direction)}) != 0) return true;
    }
    return false;
  }

 private:
  std::vector<size_t> RunsWithout(size_t node, size_t peer) const {
    std::vector<size_t> runs;
    for (const size_t run : runs_of_.at(node)) {
      const PlannedPair& pair = table_.runs()[run].pair;
      if (pair.initiator != peer && pair.target != peer) runs.push_back(run);
    }
    return runs;
  }

  // Standings are in the order of runs and slots.
  const SlotStanding* Find(size_t run, uint32_t slot) const {
    const auto& standings = analysis_.standings;
    const auto found =
        std::lower_bound(standings.begin(), standings.end(), std::pair(run, slot),
                         [](const SlotStanding& one, const std::pair<size_t, uint32_t>& key) {
                           return std::pair(one.run, one.slot) < key;
                         });
    const bool is_it = found != standings.end() && found->run == run && found->slot == slot;
    return is_it ? &*found : nullptr;
  }

  const FleetTable& table_;
  const FleetGates& gates_;
  const FleetAnalysis& analysis_;
  std::map<size_t, std::vector<size_t>> runs_of_;
  std::set<std::tuple<size_t, uint32_t, Direction>> low_;
};

// Collects suspicions; of several of the same the worst is kept.
class Suspicions {
 public:
  void Add(Suspicion suspicion) {
    const Key key{suspicion.kind, suspicion.node,
                  suspicion.kind == SuspectKind::kPath ? suspicion.peer : std::nullopt,
                  suspicion.slots.front()};
    const auto [entry, is_new] = all_.try_emplace(key, suspicion);
    if (is_new) return;
    Suspicion& kept = entry->second;
    std::vector<uint32_t> groups = kept.groups;
    groups.insert(groups.end(), suspicion.groups.begin(), suspicion.groups.end());
    const bool certain = !kept.could_be_peer || !suspicion.could_be_peer;
    if (suspicion.deviation < kept.deviation) kept = std::move(suspicion);
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    kept.groups = std::move(groups);
    kept.could_be_peer = !certain;
  }

  std::vector<Suspicion> Take() {
    std::vector<Suspicion> taken;
    for (auto& [key, suspicion] : all_) taken.push_back(std::move(suspicion));
    return taken;
  }

 private:
  using Key = std::tuple<SuspectKind, size_t, std::optional<size_t>, uint32_t>;
  std::map<Key, Suspicion> all_;
};

Suspicion Of(const SlotStanding& standing, SuspectKind kind, size_t node, size_t peer,
             bool as_target) {
  Suspicion suspicion;
  suspicion.kind = kind;
  suspicion.node = node;
  suspicion.peer = peer;
  suspicion.slots = {standing.slot};
  suspicion.deviation = standing.deviation;
  suspicion.z = standing.z;
  suspicion.adjusted_p = standing.adjusted_p;
  suspicion.as_target = as_target;
  suspicion.two_speeds = standing.two_speeds;
  return suspicion;
}

// Whose fault a low slot is.
void BlameSlot(const SlotStanding& low, const PlannedPair& pair, const Elsewhere& elsewhere,
               Suspicions& suspicions) {
  const size_t x = pair.initiator, y = pair.target;
  const auto at_x = elsewhere.SlotOf(x, y, low.slot, low.deviation);
  const auto at_y = elsewhere.SlotOf(y, x, low.slot, low.deviation);
  if (at_x.low) suspicions.Add(Of(low, SuspectKind::kNic, x, y, false));
  if (at_y.low) suspicions.Add(Of(low, SuspectKind::kNic, y, x, true));
  if (at_x.low || at_y.low) return;
  if (at_x.known && at_y.known) {
    return suspicions.Add(Of(low, SuspectKind::kPath, x, y, false));
  }
  // The end that was cleared is not the one.
  Suspicion open =
      at_x.known ? Of(low, SuspectKind::kNic, y, x, true) : Of(low, SuspectKind::kNic, x, y, false);
  open.could_be_peer = true;
  suspicions.Add(std::move(open));
}

void BlamePart(const LowPart& low, const FleetTable& table, const Elsewhere& elsewhere,
               Suspicions& suspicions) {
  const PlannedPair& pair = table.runs()[low.run].pair;
  bool at_x = false, at_y = false;
  for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
    if (low.direction && low.direction != direction) continue;
    at_x |= elsewhere.PartOf(pair.initiator, pair.target, low.slot, direction);
    at_y |= elsewhere.PartOf(pair.target, pair.initiator, low.slot, Opposite(direction));
  }
  const bool is_target = at_y && !at_x;
  Suspicion suspicion;
  suspicion.kind = SuspectKind::kPlace;
  suspicion.node = is_target ? pair.target : pair.initiator;
  suspicion.peer = is_target ? pair.initiator : pair.target;
  suspicion.slots = {low.slot};
  suspicion.groups = low.groups;
  suspicion.deviation = low.deviation;
  suspicion.z = low.z;
  suspicion.adjusted_p = low.adjusted_p;
  suspicion.as_target = is_target;
  suspicions.Add(std::move(suspicion));
}

// The slots that were measured of each node, whichever part it had.
std::map<size_t, std::set<uint32_t>> SlotsOfNodes(const FleetTable& table,
                                                  const FleetAnalysis& analysis) {
  std::map<size_t, std::set<uint32_t>> slots;
  for (const SlotStanding& standing : analysis.standings) {
    const PlannedPair& pair = table.runs()[standing.run].pair;
    slots[pair.initiator].insert(standing.slot);
    slots[pair.target].insert(standing.slot);
  }
  return slots;
}

// Of a machine most of whose NICs are suspects, the machine is.
std::vector<Suspicion> WithMachines(std::vector<Suspicion> suspicions, const FleetTable& table,
                                    const FleetGates& gates, const FleetAnalysis& analysis) {
  std::map<size_t, std::vector<size_t>> nics_of;
  for (size_t i = 0; i < suspicions.size(); ++i) {
    if (suspicions[i].kind == SuspectKind::kNic) nics_of[suspicions[i].node].push_back(i);
  }
  const auto slots = SlotsOfNodes(table, analysis);
  std::vector<bool> merged(suspicions.size(), false);
  for (const auto& [node, nics] : nics_of) {
    const double share =
        static_cast<double>(nics.size()) / static_cast<double>(slots.at(node).size());
    if (nics.size() < 2 || share < gates.machine_share) continue;
    Suspicion& first = suspicions[nics.front()];
    first.kind = SuspectKind::kMachine;
    for (const size_t i : std::span(nics).subspan(1)) {
      first.slots.push_back(suspicions[i].slots.front());
      first.could_be_peer = first.could_be_peer && suspicions[i].could_be_peer;
      first.two_speeds = first.two_speeds || suspicions[i].two_speeds;
      if (suspicions[i].deviation < first.deviation) {
        first.deviation = suspicions[i].deviation;
        first.z = suspicions[i].z;
        first.adjusted_p = suspicions[i].adjusted_p;
      }
      merged[i] = true;
    }
  }
  std::vector<Suspicion> kept;
  for (size_t i = 0; i < suspicions.size(); ++i) {
    if (!merged[i]) kept.push_back(std::move(suspicions[i]));
  }
  return kept;
}

// Where a census that is cut off at the end of a row would not show as such: beside no list of the
// machine's NICs, and with no window that was measured.
bool MayLackRows(const FleetRun& run) { return !run.knows_nics && run.values.empty(); }

void FindMissing(const FleetTable& table, const FleetGates& gates, FleetAnalysis& analysis) {
  std::map<MachineType, std::map<size_t, std::set<uint32_t>>> of_type;
  std::set<std::pair<size_t, uint32_t>> in_doubt;
  for (const FleetRun& run : table.runs()) {
    if (MayLackRows(run)) continue;
    of_type[TypeOf(run.run)][run.pair.initiator].insert(run.slots.begin(), run.slots.end());
    for (const auto& [slot, why] : run.invalid) in_doubt.insert({run.pair.initiator, slot});
  }
  for (const auto& [type, nodes] : of_type) {
    if (nodes.size() < gates.min_members) continue;
    std::map<uint32_t, size_t> have;
    for (const auto& [node, slots] : nodes) {
      for (const uint32_t slot : slots) ++have[slot];
    }
    for (const auto& [node, slots] : nodes) {
      std::vector<MissingNic> missing;
      Renumbered others{node, {}};
      for (const auto& [slot, count] : have) {
        const bool most = 2 * count > nodes.size(), has = slots.count(slot) != 0;
        if (most && !has && !in_doubt.contains({node, slot})) missing.push_back({node, slot});
        if (!most && has) others.slots.push_back(slot);
      }
      if (missing.empty()) continue;
      if (others.slots.empty()) {
        analysis.missing.insert(analysis.missing.end(), missing.begin(), missing.end());
      } else {
        analysis.renumbered.push_back(std::move(others));
      }
    }
  }
}

}  // namespace

std::string_view ToString(SuspectKind kind) {
  switch (kind) {
    case SuspectKind::kNic:
      return "nic";
    case SuspectKind::kPlace:
      return "place";
    case SuspectKind::kMachine:
      return "machine";
    case SuspectKind::kPath:
      return "path";
  }
  return "";
}

std::string NameOf(const Suspicion& suspicion, const FleetPlan& plan, const FleetTable& table) {
  std::string name =
      fmt::format("{}-{}", ToString(suspicion.kind), plan.nodes[suspicion.node].name);
  if (suspicion.kind == SuspectKind::kPath) name += "-" + plan.nodes[*suspicion.peer].name;
  if (suspicion.kind == SuspectKind::kMachine) return name;
  std::string slot = table.slots()[suspicion.slots.front()].ToString();
  std::replace(slot.begin(), slot.end(), ':', '-');
  return name + "-" + slot;
}

FleetAnalysis Analyse(const FleetTable& table, const FleetGates& gates) {
  FleetAnalysis analysis;
  Screen(table, gates, analysis);
  const Elsewhere elsewhere(table, gates, analysis);
  Suspicions suspicions;
  for (const SlotStanding& standing : analysis.standings) {
    if (standing.low) {
      BlameSlot(standing, table.runs()[standing.run].pair, elsewhere, suspicions);
    }
  }
  for (const LowPart& low : analysis.low_parts) BlamePart(low, table, elsewhere, suspicions);
  analysis.suspicions = WithMachines(suspicions.Take(), table, gates, analysis);
  FindMissing(table, gates, analysis);
  return analysis;
}

}  // namespace railgauge
