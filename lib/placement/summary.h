// The rows of summary.csv: every measured cell by itself, whatever the decision.
#ifndef RAILGAUGE_LIB_PLACEMENT_SUMMARY_H_
#define RAILGAUGE_LIB_PLACEMENT_SUMMARY_H_

#include <vector>

#include "lib/placement/evidence.h"
#include "lib/record/records.h"

namespace railgauge {

// One row per cell and way of the table, in its order. The verdict of a cell: SLOW an outlier of
// its class, proven by paired rounds; UNDECIDED one that is badly slow beyond chance and was not
// proven, or that its partner in loopback may make slow (partner_blame.h; a finding says so); NOISY
// when it has two speeds, its own interval is wider than JudgeGates::noisy_width, or all its
// windows were disturbed; INVALID and UNDECIDED when it has no good window; else OK. `ceiling` is
// the best line rate that is known of the NIC (ceilings.h); no verdict rests on it.
std::vector<SummaryRow> Summarize(const Evidence& evidence);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_SUMMARY_H_
