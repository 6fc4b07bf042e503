// FleetPlan: who is measured with whom, so that a slow NIC, a slow machine and a slow way between
// two machines can be told apart. Pure.
//
// The nodes form a ring in the order given, and each is measured with its successor: as the
// initiator, whose NICs and memory places are under test, with the next node, and as the target
// with the one before. So every node is measured in both parts, with two different peers, by as
// many runs as there are nodes. Neighbours of a ring of an even number of nodes can all be measured
// in two rounds of disjoint pairs; the last pair of an odd number needs a third.
#ifndef RAILGAUGE_LIB_FLEET_FLEET_PLAN_H_
#define RAILGAUGE_LIB_FLEET_FLEET_PLAN_H_

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/fleet/host_list.h"

namespace railgauge {

// Indices into FleetPlan::nodes.
struct PlannedPair {
  size_t initiator = 0;
  size_t target = 0;
  friend auto operator<=>(const PlannedPair&, const PlannedPair&) = default;
};

struct FleetPlan {
  std::vector<FleetNode> nodes;
  std::vector<std::vector<PlannedPair>> rounds;
  // What `railgauge check` is told beside the peer and the output: "--placement=nearest", ….
  std::vector<std::string> check_flags;
  friend bool operator==(const FleetPlan&, const FleetPlan&) = default;
};

// The rounds of a ring of `nodes`, which are at least two. Two have one peer only.
std::vector<std::vector<PlannedPair>> RingRounds(size_t nodes);

// The pairs of the ring without the nodes that are `gone`, which the whole ring does not have: what
// the neighbours of a lost node are measured by instead. Empty where fewer than two are left.
std::vector<PlannedPair> BridgingPairs(size_t nodes, const std::vector<bool>& gone);

// Errors: fewer than two nodes.
Result<FleetPlan> MakePlan(std::vector<FleetNode> nodes, std::vector<std::string> check_flags);

// plan.json. Parsing is strict: what does not fit the nodes, a pair twice, a node in two pairs of
// one round is an error that names `path`.
std::string ToJson(const FleetPlan& plan);
Result<FleetPlan> ParsePlan(std::string_view json, const std::string& path);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_FLEET_PLAN_H_
