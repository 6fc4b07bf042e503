// The best assignment: of all ways to give the NICs to the consumers, the one whose worst consumer
// gets most by what a run measured; of these, the one that moves most in total; of these, the
// nearest. Pure.
//
// The model of throughput is that of assignment_problem.h. What was not measured is no candidate:
// nothing is assumed of a pair that no sample speaks of, and what is missing is told. A resource
// that consumers share bounds them only where its capacity is known.
//
// Noise: rates that differ by less than JudgeGates::differs from their like are taken for equal
// while searching, so that no NIC is preferred for its luck; the answer is then valued by what was
// measured. A given decision that is as good, within that gate, is kept.
//
// Found by the search of assignment_search.h, which says whether it is proven.
#ifndef RAILGAUGE_LIB_PLACEMENT_BEST_ASSIGNMENT_H_
#define RAILGAUGE_LIB_PLACEMENT_BEST_ASSIGNMENT_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/placement/assignment_problem.h"
#include "lib/placement/assignment_search.h"
#include "lib/placement/capacity.h"
#include "lib/placement/cell_table.h"
#include "lib/placement/decision.h"
#include "lib/placement/gates.h"
#include "lib/placement/speed_class.h"
#include "lib/stats/median_interval.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct BestAssignment {
  std::vector<MemoryPlace> consumers;  // those that were measured, in the order of places
  Decision decision;                   // of these; the given one's own NICs where it is kept
  bool kept = false;
  std::vector<Dimension> dimensions;  // in which consumers were measured
  AssignmentValue value;              // of `decision`, bytes per second, by consumer
  std::optional<AssignmentValue>
      given;  // of the given decision; empty where a pair is not measured
  // value / given - 1, of the worst consumer and in total.
  std::optional<double> worst_gain;
  std::optional<double> total_gain;
  bool better_in_total_only = false;  // the worst consumer's gain is within the gate
  // Of worst_gain: from the intervals of all medians that it rests on, each at its bad end for it,
  // each at its good end. Empty when one of these has too few windows.
  std::optional<Interval> worst_gain_interval;
  size_t fewest_windows = 0;  // of the cells that the gain rests on
  bool proven = false;        // that no assignment gives more, but for what the gate calls equal
  double worst_bound = 0;     // where it is not: no worst consumer gets more than this
  bool shared = false;        // fewer NICs than consumers: some serve several
  std::vector<std::string> missing;       // what is not known, a sentence each
  std::vector<KnownCapacity> capacities;  // those that bound a candidate
};

struct BestOptions {
  JudgeGates gates;
  // A gap far below what the gates tell apart.
  SearchLimits limits{.steps = 1'000'000, .gap = 1e-3};
};

// For the consumers of `given`; all must outlive the call only. An Error when no consumer of it was
// measured.
Result<BestAssignment> FindBestAssignment(const Machine& machine, const CellTable& table,
                                          const Relations& relations, const Decision& given,
                                          std::span<const KnownCapacity> capacities,
                                          const BestOptions& options = {});

// The same from the records of a run; `groups` are those of a run of load, or none.
Result<BestAssignment> FindBestAssignment(const Machine& machine, std::span<const CensusRow> census,
                                          std::span<const Sample> samples, const Decision& given,
                                          std::span<const GroupRow> groups,
                                          const BestOptions& options = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_BEST_ASSIGNMENT_H_
