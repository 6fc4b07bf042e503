// FleetTree: where the files of a fleet's measurement are, and what of it is done. The tree is the
// state: what is whole in it is not measured again.
//
//   plan.json token                        what was planned; the secret of its nodes (mode 0600)
//   lock                                   held by who measures
//   runs/NODE/with-PEER/                   the run directory of NODE as initiator, PEER as target
//   confirm/SUSPICION/{suspicion.json,suspect-K,reference-K}    paired rounds of what stood out
//   failed/…                               runs that did not end, as they were, out of the way
//   logs/…                                 what the launched programs said
//   fleet.csv fleet.md fleet.html          what fleet report writes
#ifndef RAILGAUGE_LIB_FLEET_FLEET_TREE_H_
#define RAILGAUGE_LIB_FLEET_FLEET_TREE_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/fleet/fleet_plan.h"
#include "lib/fleet/fleet_table.h"

namespace railgauge {

class FleetTree {
 public:
  // `root` is made absolute, since nodes are told paths in it.
  static Result<FleetTree> At(const std::string& root);

  const std::string& root() const { return root_; }
  std::string PlanPath() const { return root_ + "/plan.json"; }
  std::string TokenPath() const { return root_ + "/token"; }
  std::string LockPath() const { return root_ + "/lock"; }  // fleet run holds it
  std::string RunPath(const std::string& initiator, const std::string& target) const;
  std::string ConfirmPath(const std::string& suspicion) const;
  std::string LogPath(const std::string& what) const { return root_ + "/logs/" + what + ".log"; }

  // Reads the plan. An Error where there is none says how to make one.
  Result<FleetPlan> ReadPlan() const;
  // Makes the folder with the plan in it; one that holds a plan already is an error.
  Status WritePlan(const FleetPlan& plan) const;
  // Makes the folders that measuring needs, and the token where there is none yet.
  Status Prepare() const;

  // Moves a folder of runs/ or confirm/ that is there to failed/, under a name that is free.
  Status PutAside(const std::string& directory) const;

  // The runs/NODE/with-PEER folders that are there, of any nodes of `plan`, in order. `unreadable`
  // gets the nodes whose folder is there and cannot be read, and why.
  std::vector<PlannedPair> RunsThere(const FleetPlan& plan,
                                     std::map<size_t, std::string>& unreadable) const;
  // The names of the folders in confirm/.
  std::vector<std::string> SuspicionsThere() const;

 private:
  explicit FleetTree(std::string root) : root_(std::move(root)) {}
  std::string root_;
};

// An Error where `path`, which need not exist, is in a run directory or among the runs of a fleet,
// which are kept as they were recorded. `what` is the operation of the Error: "write --csv_out".
Status CheckOutsideRuns(const std::string& path, const std::string& what);

// Whether the run in `directory` measured what it was to measure, by the rules that fleet report
// has: empty, or why not: nothing is there, it is not believed, or another attempt is worth its
// time (fleet_table.h).
inline constexpr char kNotMeasured[] = "it was not measured";
std::string WhyNotWhole(const std::string& directory);
// The run, read once; of one that is not whole, `why` and nothing.
std::optional<RunGroups> ReadWholeRun(const std::string& directory, std::string& why);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_FLEET_TREE_H_
