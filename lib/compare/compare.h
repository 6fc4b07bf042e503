// A run held against a baseline: each cell, and the whole. Pure.
//
// A cell is SLOWER by the two gates of lib/stats/ratio_outcome.h, where the margin is
// JudgeGates::bad_placement: the median has lost more than the margin, and the loss is certain
// among all that the run compares (false_discovery.h). What makes it certain, in this order:
//   windows  at least JudgeGates::min_rounds windows of the cell, against the far end of the
//            baseline's interval
//   nic      the ratios of this NIC at all of its places, in the same operation, direction and size
//   class    the ratios of this cell of all NICs: what a driver or firmware does to all alike
// `check` takes one window of most cells, and one window is no proof; but a slow NIC is slow
// wherever it goes, and a slow machine with all of its NICs. Where a cell has lost more than the
// margin and none of these can tell, it is NOISY: so is a NIC of 32 that is slow in one operation
// and direction alone, by one window at each of ten places, since that is too little among the 128
// such comparisons of a run. FASTER is the same the other way about.
//
// A baseline row is of a cell at all places of its class, so the class is what may be MISSING or
// NEW: of a cell that was measured at another place of its class, one that went wrong is NOISY, and
// one that was not reached is in no row. Nor is one whose windows are all disturbed, or empty, and
// that the baseline does not have, as it has none of those: a run held against itself is never NEW.
#ifndef RAILGAUGE_LIB_COMPARE_COMPARE_H_
#define RAILGAUGE_LIB_COMPARE_COMPARE_H_

#include <map>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/compare/baseline.h"
#include "lib/compare/readings.h"
#include "lib/placement/gates.h"
#include "lib/record/comparison_row.h"

namespace railgauge {

struct RunComparison {
  std::vector<ComparisonRow> rows;  // of the run's cells in their order, then what it lacks
  // The worst of SLOWER, MISSING, NOISY, FASTER, SAME among them.
  CompareVerdict whole = CompareVerdict::kSame;
  std::map<CompareVerdict, size_t> counts;
  // Cells that are in no row: what a baseline leaves out (their windows are all disturbed, or
  // empty).
  size_t left_out = 0;
};

// The names are for messages. Errors: the two are not comparable (CheckComparable), or have no cell
// in common.
Result<RunComparison> CompareWithBaseline(const Baseline& baseline,
                                          const std::string& baseline_name, const RunReadings& run,
                                          const std::string& run_name,
                                          const JudgeGates& gates = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_COMPARE_COMPARE_H_
