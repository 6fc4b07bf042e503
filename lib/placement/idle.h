// NICs that nobody uses although a consumer could: who should have them, and whether that is
// proven.
//
// Shared by the judge and by the shortlist of what to measure again, so that what the one needs
// proven is what the other has measured.
#ifndef RAILGAUGE_LIB_PLACEMENT_IDLE_H_
#define RAILGAUGE_LIB_PLACEMENT_IDLE_H_

#include <vector>

#include "lib/placement/decision.h"
#include "lib/placement/evidence.h"
#include "lib/record/records.h"

namespace railgauge {

// The idle NICs that `assignment`'s consumer should have, by their medians: those that are nearer
// to it than to any other consumer (of equally near ones, the one with the fewest NICs), unless a
// place outside the decision is as near (its NICs are not the decision's business), and as good as
// its slowest own one, within JudgeGates::bad_placement.
std::vector<NicKey> IdleNicsFor(const Evidence& evidence, const Assignment& assignment);

enum class IdleProof {
  kAsGood,    // not worse than a chosen one in paired rounds, in every dimension
  kWorse,     // worse by the margin in paired rounds, in some dimension
  kUnproven,  // too few rounds somewhere: single windows may have been disturbed
};
IdleProof ProofOf(const Evidence& evidence, const Assignment& assignment, const NicKey& idle);

// The chosen NIC that is the slowest in `dimension`; null where none was measured.
const MeasuredCell* SlowestChosen(const Evidence& evidence, const Assignment& assignment,
                                  const Dimension& dimension);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_IDLE_H_
