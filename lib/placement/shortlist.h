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
  double margin = JudgeGates().bad_placement;  // the loss that the verdict asks about
};

// After the screening by one window each: the cells of chosen NICs of which no window was
// undisturbed, the cells that are suspects of their class, the farthest from it first, the cells on
// which it hangs whether a chosen NIC that looks bad could be exchanged (Rival::reserve), and the
// cells of chosen NICs whose class spreads too much (certainty.h). Two more windows tell most
// disturbed windows from slow paths, for any cell, and save the paired rounds of a chosen one.
std::vector<Cell> WorthMoreWindows(const Machine& machine, std::span<const CensusRow> census,
                                   std::span<const Sample> samples, const Decision& decision,
                                   const JudgeGates& gates = {});

// Of these, what more windows may still help once they had some: the cells of chosen NICs that have
// no undisturbed window yet.
std::vector<Cell> StillDisturbed(const Machine& machine, std::span<const CensusRow> census,
                                 std::span<const Sample> samples, const Decision& decision,
                                 const JudgeGates& gates = {});

// For each consumer and dimension the slowest chosen NICs against their best rival: those below it
// by more than JudgeGates::differs, at most JudgeGates::max_suspects, and at least one; chosen NICs
// that are outliers of their class against a peer of it; and per consumer one idle NIC that it
// could have (idle.h). Suspects first, then by ratio.
std::vector<CellPair> Shortlist(const Machine& machine, std::span<const CensusRow> census,
                                std::span<const Sample> samples, const Decision& decision,
                                const JudgeGates& gates = {});

// The pairs of a shortlist that more rounds may decide: the ones that their rounds left NOISY, and
// the ones that look worse, but not in enough rounds for a run of so many comparisons. Not those
// that had too few rounds: they had their time.
std::vector<CellPair> StillInDoubt(const Machine& machine, std::span<const CensusRow> census,
                                   std::span<const Sample> samples, const Decision& decision,
                                   std::span<const CellPair> pairs, const JudgeGates& gates = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_SHORTLIST_H_
