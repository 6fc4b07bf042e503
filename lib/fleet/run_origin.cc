#include "lib/fleet/run_origin.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "fmt/core.h"

namespace railgauge {
namespace {

// The last two parts of `path`.
std::pair<std::string_view, std::string_view> LastParts(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  const size_t last = path.rfind('/');
  if (last == std::string_view::npos) return {};
  const std::string_view before = path.substr(0, last);
  const size_t first = before.rfind('/');
  return {before.substr(first == std::string_view::npos ? 0 : first + 1), path.substr(last + 1)};
}

class StrayFinder {
 public:
  StrayFinder(const FleetPlan& plan, std::span<const RunOrigin> runs)
      : plan_(plan), runs_(runs), why_(runs.size()) {}

  std::vector<std::string> Find() {
    FindMisplaced();
    FindDoubled();
    while (DropMostContradicted()) {
    }
    return std::move(why_);
  }

 private:
  const std::string& Name(size_t node) const { return plan_.nodes[node].name; }
  std::string FolderOf(const RunOrigin& run) const {
    return fmt::format("runs/{}/with-{}", Name(run.pair.initiator), Name(run.pair.target));
  }

  void FindMisplaced() {
    for (size_t i = 0; i < runs_.size(); ++i) {
      const auto [node, peer] = LastParts(runs_[i].output);
      // Of a run that somebody made by hand, nothing is known.
      if (!peer.starts_with("with-")) continue;
      const std::string written = fmt::format("runs/{}/{}", node, peer);
      if (written == FolderOf(runs_[i])) continue;
      why_[i] = fmt::format("it is the run of {}, by its run.json", Printable(written));
    }
  }

  void FindDoubled() {
    std::map<std::pair<std::string_view, std::string_view>, size_t> first;
    for (size_t i = 0; i < runs_.size(); ++i) {
      if (!why_[i].empty()) continue;
      const auto [before, is_new] = first.try_emplace({runs_[i].run_id, runs_[i].host}, i);
      if (is_new) continue;
      why_[i] = fmt::format("run '{}' of host '{}' is in {} already", Printable(runs_[i].run_id),
                            Printable(runs_[i].host), FolderOf(runs_[before->second]));
    }
  }

  // What a run says that a node's host name is.
  struct Claim {
    size_t run = 0;
    std::string_view host;
    bool is_own = false;
  };

  std::map<size_t, std::vector<Claim>> Claims() const {
    std::map<size_t, std::vector<Claim>> claims;
    for (size_t i = 0; i < runs_.size(); ++i) {
      const RunOrigin& run = runs_[i];
      if (!why_[i].empty()) continue;
      if (!run.host.empty()) claims[run.pair.initiator].push_back({i, run.host, true});
      if (run.peer.empty() || run.peer == "loopback") continue;
      claims[run.pair.target].push_back({i, run.peer, false});
    }
    return claims;
  }

  // Leaves out one run of those that are contradicted; false where none is.
  bool DropMostContradicted() {
    struct Doubt {
      size_t others = 0;  // that contradict it
      // In a host that the plan does not have by that name. It need not have hosts by theirs.
      bool unplanned = false;
      bool own = false;  // in what it says of its own host
      std::string why;
    };
    std::map<size_t, Doubt> doubts;
    for (const auto& [node, claims] : Claims()) {
      for (const Claim& claim : claims) {
        for (const Claim& other : claims) {
          if (other.host == claim.host) continue;
          Doubt& doubt = doubts[claim.run];
          ++doubt.others;
          doubt.unplanned = doubt.unplanned || claim.host != Name(node);
          doubt.own = doubt.own || claim.is_own;
          if (!doubt.why.empty()) continue;
          doubt.why =
              fmt::format("{} is host '{}' in it, and '{}' in {}", Name(node),
                          Printable(claim.host), Printable(other.host), FolderOf(runs_[other.run]));
        }
      }
    }
    if (doubts.empty()) return false;
    const auto rank = [](const auto& doubt) {
      return std::tie(doubt.second.others, doubt.second.unplanned, doubt.second.own);
    };
    const auto worst =
        std::max_element(doubts.begin(), doubts.end(),
                         [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    why_[worst->first] = worst->second.why;
    return true;
  }

  const FleetPlan& plan_;
  std::span<const RunOrigin> runs_;
  std::vector<std::string> why_;
};

}  // namespace

std::vector<std::string> WhyStray(const FleetPlan& plan, std::span<const RunOrigin> runs) {
  return StrayFinder(plan, runs).Find();
}

std::vector<std::string> NotesOfOneMachine(const FleetPlan& plan, std::span<const RunOrigin> runs) {
  std::map<size_t, std::string> hosts, instances;
  for (const RunOrigin& run : runs) {
    if (!run.host.empty()) hosts[run.pair.initiator] = run.host;
    if (!run.instance_id.empty()) instances[run.pair.initiator] = run.instance_id;
    if (!run.peer.empty()) hosts.try_emplace(run.pair.target, run.peer);
  }
  // Names that hosts were given may be alike; ids of instances are not.
  std::map<std::string, std::set<size_t>> machines;
  for (const auto& [node, instance] : instances) {
    machines[fmt::format("instance {}", Printable(instance))].insert(node);
  }
  for (const auto& [node, host] : hosts) {
    if (!instances.contains(node)) {
      machines[fmt::format("host '{}'", Printable(host))].insert(node);
    }
  }
  std::vector<std::string> notes;
  constexpr size_t kNamed = 8;
  for (const auto& [machine, nodes] : machines) {
    if (nodes.size() < 2) continue;
    std::string names;
    size_t named = 0;
    for (const size_t node : nodes) {
      if (named++ == kNamed) break;
      names += (names.empty() ? "" : ", ") + plan.nodes[node].name;
    }
    if (nodes.size() > kNamed) names += fmt::format(" and {} more", nodes.size() - kNamed);
    notes.push_back(
        fmt::format("{} are one machine ({} in their runs), so they show nothing of "
                    "each other: a plan names every machine once",
                    names, machine));
  }
  return notes;
}

}  // namespace railgauge
