// FleetFacts: what the runs of a fleet say of their machines and of the software there (run.json),
// and on which machines it is what: a driver or firmware that one machine alone has is the first
// thing to look at where that machine stands out.
#ifndef RAILGAUGE_LIB_FLEET_FLEET_FACTS_H_
#define RAILGAUGE_LIB_FLEET_FLEET_FACTS_H_

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/fleet/fleet_plan.h"
#include "lib/fleet/fleet_tree.h"

namespace railgauge {

struct FleetFacts {
  // "kernel" -> "6.1.0" -> the nodes, into FleetPlan::nodes, in order.
  std::map<std::string, std::map<std::string, std::vector<size_t>>> nodes;
  std::string first_start;  // as run.json has them, in UTC; empty: none says so
  std::string last_end;
  size_t runs = 0;  // that were read
};

// Adds what the run.json of a run of `node` says; what is no JSON says nothing.
void AddFacts(std::string_view run_json, size_t node, FleetFacts& facts);

// Of the first `most` of these runs, since a page needs no more of ten thousand.
FleetFacts ReadFleetFacts(const FleetTree& tree, const FleetPlan& plan,
                          std::span<const PlannedPair> runs, size_t most = 1000);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_FLEET_FACTS_H_
