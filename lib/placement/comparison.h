// Whether one cell is slower than another by more than a margin: the one rule by which verdicts
// compare throughputs.
#ifndef RAILGAUGE_LIB_PLACEMENT_COMPARISON_H_
#define RAILGAUGE_LIB_PLACEMENT_COMPARISON_H_

#include <cstddef>
#include <optional>

#include "lib/placement/cell_table.h"
#include "lib/placement/gates.h"
#include "lib/stats/false_discovery.h"
#include "lib/stats/median_interval.h"
#include "lib/stats/ratio_outcome.h"

namespace railgauge {

struct Comparison {
  Outcome outcome = Outcome::kUnproven;
  double ratio = 1;                        // of the first to the second
  std::optional<MedianInterval> interval;  // empty with too few rounds: `ratio` only suspects
  size_t rounds = 0;                       // in which both were measured
  // The chance of such rounds if the first were not slower; empty without an interval. And the same
  // adjusted for the number of the run's comparisons, where those are known.
  std::optional<double> p_value, adjusted_p_value;
};

// `cell` against `other`; both must have been measured. Rounds of the same number are paired (0,
// the screening, is none); where a round holds several windows of a cell, the ones nearest in time.
// Rounds with a disturbed window are left out where enough others are left.
// The ratio to a throughput of zero counts as 1. By its own rounds alone: among the other
// comparisons of a run, AmongMany.
Comparison Compare(const MeasuredCell& cell, const MeasuredCell& other, double margin,
                   const JudgeGates& gates);

// What is left of a comparison among all those of a run, whose p-values `budget` has.
Comparison AmongMany(Comparison comparison, const FalseDiscovery& budget, const JudgeGates& gates);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_COMPARISON_H_
