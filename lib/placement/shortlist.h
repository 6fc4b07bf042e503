// Shortlist: after the screening, the pairs of cells that a verdict hangs on and that are worth
// measuring again next to each other, the most doubtful first.
#ifndef RAILGAUGE_LIB_PLACEMENT_SHORTLIST_H_
#define RAILGAUGE_LIB_PLACEMENT_SHORTLIST_H_

#include <span>
#include <utility>
#include <vector>

#include "lib/placement/decision.h"
#include "lib/placement/gates.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct CellPair {
  Cell cell;   // of a chosen NIC at its consumer
  Cell other;  // of its best rival, or of a member of its class
  // What the screening says of the first to the second: below 1, the first is slower.
  double ratio = 1;
  // Without proof the verdict would be UNDECIDED. The others only give the regret its interval.
  bool suspect = false;
};

// For each consumer and dimension the slowest chosen NICs against their best rival: those below it
// by more than JudgeGates::differs, at most JudgeGates::max_suspects, and at least one; and chosen
// NICs that are outliers of their class against a peer of it. Suspects first, then by ratio.
std::vector<CellPair> Shortlist(const Machine& machine, std::span<const CensusRow> census,
                                std::span<const Sample> samples, const Decision& decision,
                                const JudgeGates& gates = {});

// The pairs of a shortlist whose rounds left them NOISY: worth more rounds.
std::vector<CellPair> StillNoisy(std::span<const CellPair> pairs, std::span<const Sample> samples,
                                 const JudgeGates& gates = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_SHORTLIST_H_
