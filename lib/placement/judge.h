// The judge: from what was measured and a decision to a verdict per consumer, with one sentence
// that says what to do. Pure, so that a verdict can be repeated from recorded files.
//
// Verdicts of a consumer; where several hold, the first of this list is given:
//   WRONG           another NIC, idle or worth exchanging, was measured better than a chosen one by
//                   more than JudgeGates::bad_placement; `best` names the NICs to use
//   OVERSUBSCRIBED  a chosen NIC serves several consumers while an idle one would do better than a
//                   share of it, or while each would have more if it left to the others what is
//                   nearer to these (others_nics.h)
//   SLOW            a chosen NIC is slower than its class, and no better one is free
//   INVALID         the measurement of a chosen NIC contradicts itself
//   UNDECIDED       something that the verdict needs was not measured, or looks bad and was not
//                   measured often enough to prove it, or is bad and too few windows say whether
//                   there is a way out (Rival::reserve), or only one of two NICs is slow that were
//                   measured with each other alone (partner_blame.h)
//   NOISY           the paired rounds spread too much to tell, or without such rounds, single
//                   windows that were disturbed or spread too much (certainty.h)
//   OK              none of these
// Besides, an OK consumer gets an IDLE row for NICs as near as its own that nobody uses, although
// one of them was proven to be as good; UNDECIDED where they only look it in single windows.
//
// An operation that no chosen NIC can do (RDMA write on p4d) is left out and the sentence says so;
// of every other, both directions must have been measured (coverage.h).
#ifndef RAILGAUGE_LIB_PLACEMENT_JUDGE_H_
#define RAILGAUGE_LIB_PLACEMENT_JUDGE_H_

#include <span>
#include <vector>

#include "lib/placement/decision.h"
#include "lib/placement/evidence.h"
#include "lib/placement/gates.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct Judgement {
  std::vector<SummaryRow> summary;      // one per cell and way that has a sample
  std::vector<PlacementRow> placement;  // consumers in the decision's order, then IDLE rows
};

// The regret of a row is that of its worst chosen NIC against the NIC that should take its place:
// the median over paired rounds of 1 - chosen/best, with its interval; without an interval where
// they were measured in turn too seldom; 0 where no NIC is better.
Judgement Judge(const Machine& machine, std::span<const CensusRow> census,
                std::span<const Sample> samples, const Decision& decision,
                const JudgeGates& gates = {});

// The same from evidence of InOrderOfAddresses(decision).
Judgement Judge(const Evidence& evidence, const Decision& decision);

// The decision with consumers by place and NICs by address, so that where two verdicts would do, as
// where the same idle NIC helps two consumers, the order in which a decision was written or devices
// were enumerated does not decide.
Decision InOrderOfAddresses(Decision decision);

// The exit status of a command with these verdicts: 1 when one is SLOW, WRONG, OVERSUBSCRIBED or
// IDLE; else 3 when one is NOISY, INVALID or UNDECIDED, or there is none; else 0.
int ExitStatusOf(std::span<const PlacementRow> placement);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_JUDGE_H_
