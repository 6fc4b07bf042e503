// ConfirmationReader: the paired rounds below confirm/, held to the rules that the runs below runs/
// are held to: a round counts where both of its runs are whole, lie where they were written to, are
// of the machines that suspicion.json chose, and count nowhere else.
#ifndef RAILGAUGE_LIB_FLEET_CONFIRMATION_READER_H_
#define RAILGAUGE_LIB_FLEET_CONFIRMATION_READER_H_

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/result.h"
#include "lib/fleet/confirmation.h"
#include "lib/fleet/fleet_analysis.h"
#include "lib/fleet/fleet_plan.h"
#include "lib/fleet/fleet_table.h"
#include "lib/fleet/fleet_tree.h"
#include "lib/stats/paired_ratio.h"

namespace railgauge {

struct ConfirmationRounds {
  // What suspicion.json says; empty: it is not there, or cannot be believed.
  std::optional<ConfirmationPlan> plan;
  std::vector<PairedRound> rounds;
  std::set<std::string> counted;  // the run directories that count, of whole rounds or not
};

class ConfirmationReader {
 public:
  // All must outlive it. `table` has the runs that count, after HoldRunsAgainstEachOther.
  ConfirmationReader(const FleetTree& tree, const FleetPlan& plan, const FleetTable& table);

  // Each suspicion once, since a run counts once.
  ConfirmationRounds Read(const Suspicion& suspicion);

  // Of what is there and does not count: where, and why.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  Result<ConfirmationPlan> ReadPlan(const Suspicion& suspicion, const std::string& folder) const;
  std::optional<RunGroups> ReadRun(const std::string& directory, const PlannedPair& pair);
  std::string WhyAnothers(const RunGroups& run, const std::string& directory,
                          const PlannedPair& pair) const;
  std::string WhyNotOn(size_t node, const std::string& host) const;
  std::string InTree(const std::string& path) const;

  const FleetTree& tree_;
  const FleetPlan& plan_;
  const FleetTable& table_;
  std::set<std::string> roots_;                    // where the runs of this fleet were written
  std::map<size_t, std::set<std::string>> hosts_;  // of nodes, by the runs
  std::map<std::pair<std::string, std::string>, std::string> seen_;  // run_id, host: where
  std::vector<std::string> notes_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_CONFIRMATION_READER_H_
