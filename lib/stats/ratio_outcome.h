// The rule by which two throughputs that were measured in turn are told apart: two gates, one for
// the size of the difference and one for its certainty, so that neither a tiny difference that many
// rounds make certain nor a large one of a single bad window becomes a verdict.
#ifndef RAILGAUGE_LIB_STATS_RATIO_OUTCOME_H_
#define RAILGAUGE_LIB_STATS_RATIO_OUTCOME_H_

#include <optional>

#include "lib/stats/paired_ratio.h"

namespace railgauge {

enum class Outcome {
  kNotWorse,  // not slower, as far as the rounds can tell
  kDiffers,   // slower beyond doubt, but by less than the margin
  kWorse,     // slower by more than the margin, and the whole interval is below equal
  kNoisy,     // the interval is wide and holds both "equal" and "worse than the margin"
  kUnproven,  // too few rounds, for the interval or for a run of so many comparisons
};

struct OutcomeGates {
  double margin = 0.10;       // a loss of more than this share is "worse"
  double differs = 0.03;      // and one of more than this share "differs"
  double noisy_width = 0.10;  // an interval wider than this that holds both tells nothing
};

// By the gates alone. Rounds that clear the first side (its median is not below the margin with
// PairedOptions::clearance) are not noisy, however far one bad round stretches the interval: to
// clear takes less certainty than to accuse. Empty: kUnproven.
Outcome OutcomeOf(const std::optional<PairedRatio>& paired, const OutcomeGates& gates);

// What is left of an outcome in a run of many comparisons, where its p-value adjusted for their
// number (false_discovery.h) is above `false_discovery`: "worse" becomes unproven, which more
// rounds can mend, and "differs" not worse.
Outcome AmongMany(Outcome outcome, double adjusted_p, double false_discovery);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_STATS_RATIO_OUTCOME_H_
