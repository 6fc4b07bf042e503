// ReadFleet: all runs of a fleet's tree as a FleetTable, on several threads, with as many runs in
// memory as there are threads.
//
// Own code and no database engine: one run of a machine fits in memory many times over, so its
// medians need no engine that spills to disk, and what remains of it is eight bytes per group. What
// an engine would add is a second reader of the format, one that does not hold rows to what they
// say of themselves, and a library many times the size of this program on every login node. On two
// busy cores, of 10,240,000 rows of 10,000 machines in 4 GB of files:
//
//   DuckDB 1.5.6, columns declared: cells' medians, their classes' median and MAD   8.9 s  2028 MB
//   this: the same, in groups, from rows held to their own columns                  8.2 s
//   and then //lib/fleet:fleet_benchmark's judging: screens, blame, fleet.csv       8.9 s   423 MB
//
// (DuckDB was given 2 GB, and took them.)
#ifndef RAILGAUGE_LIB_FLEET_FLEET_READER_H_
#define RAILGAUGE_LIB_FLEET_FLEET_READER_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "lib/fleet/fleet_plan.h"
#include "lib/fleet/fleet_table.h"
#include "lib/fleet/fleet_tree.h"

namespace railgauge {

struct FleetRecords {
  FleetTable table;
  // Of the runs that count.
  size_t rows = 0;
  size_t other_slot = 0;           // RunGroups::other_slot
  size_t disturbed = 0;            // RunGroups::disturbed
  std::vector<std::string> notes;  // runs that do not count, or were cut short
  // Of nodes with a run that does not count: why the first of them does not.
  std::map<size_t, std::string> unusable;
  // Of the runs that are there: why another attempt is worth its time (WhyNotWhole); empty: whole.
  std::map<PlannedPair, std::string> not_whole;
};

// As many as read the files of a tree fastest.
size_t ReadingThreads();

// What a run that was cut short measured counts. A run that ReadRunGroups refuses does not.
FleetRecords ReadFleet(const FleetTree& tree, const FleetPlan& plan, size_t threads);

// What the runs say of each other: takes out those that are another's than the plan says of their
// folder, and notes nodes that are one machine (run_origin.h). A NIC that a run's census lacks and
// that another run measured with is not missing: the slot is in doubt (FleetTable::Doubt).
void HoldRunsAgainstEachOther(const FleetPlan& plan, FleetRecords& records);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_FLEET_READER_H_
