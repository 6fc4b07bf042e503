// Whether one cell is slower than another by more than a margin: the one rule by which verdicts
// compare throughputs.
#ifndef RAILGAUGE_LIB_PLACEMENT_COMPARISON_H_
#define RAILGAUGE_LIB_PLACEMENT_COMPARISON_H_

#include <cstddef>
#include <optional>

#include "lib/placement/cell_table.h"
#include "lib/placement/gates.h"
#include "lib/stats/bootstrap.h"

namespace railgauge {

enum class Outcome {
  kNotWorse,  // not slower, as far as the rounds can tell
  kDiffers,   // slower beyond doubt, but by less than the margin
  kWorse,     // slower by more than the margin, and the whole interval is below equal
  kNoisy,     // the interval is wide and holds both "equal" and "worse than the margin"
  kUnproven,  // too few paired rounds; `ratio` is of the medians and only raises a suspicion
};

struct Comparison {
  Outcome outcome = Outcome::kUnproven;
  double ratio = 1;                  // of the first to the second
  std::optional<Interval> interval;  // empty when unproven
  size_t rounds = 0;                 // in which both were measured
};

// `cell` against `other`; both must have been measured. Rounds of the same number are paired (0,
// the screening, is none); where a round holds several windows of a cell, the ones nearest in time.
// The ratio to a throughput of zero counts as 1.
Comparison Compare(const MeasuredCell& cell, const MeasuredCell& other, double margin,
                   const JudgeGates& gates);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_COMPARISON_H_
