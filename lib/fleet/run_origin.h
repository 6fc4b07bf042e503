// RunOrigin: whether the runs of a fleet lie in the folders that they were written to. Folders are
// copied, swapped and filled by hand, and a machine must not be judged by another's run. Pure.
#ifndef RAILGAUGE_LIB_FLEET_RUN_ORIGIN_H_
#define RAILGAUGE_LIB_FLEET_RUN_ORIGIN_H_

#include <span>
#include <string>
#include <vector>

#include "lib/fleet/fleet_plan.h"

namespace railgauge {

// Where a run lies, and what it says of itself.
struct RunOrigin {
  PlannedPair pair;    // by its folder
  std::string run_id;  // of its rows, as are the two below
  std::string host;
  std::string peer;    // host name; empty or "loopback": it measured with no other
  std::string output;  // where its run.json says that it was written; empty: it does not say
  std::string instance_id = {};  // empty: not known
};

// Of each run why it is not that of its folder; empty: it is. In this order:
//   it says that it was written to the folder of another pair;
//   the same run is in another folder, before it or with a better claim;
//   its host or its peer is another than other runs of these nodes know. Where two runs contradict
//   each other the one is left out that more of the others contradict; of equals the one whose host
//   is not the node's name in the plan, and then the one whose own host is in doubt.
std::vector<std::string> WhyStray(const FleetPlan& plan, std::span<const RunOrigin> runs);

// A note for each machine that several nodes of the plan are, by the instance id, and else by the
// host name, in their runs and their peers': what they show of each other is of one machine alone.
std::vector<std::string> NotesOfOneMachine(const FleetPlan& plan, std::span<const RunOrigin> runs);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_RUN_ORIGIN_H_
