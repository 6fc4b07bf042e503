// Certainty: whether the windows of a cell are evidence that it is as fast as it was measured to
// be. A verdict of OK must not rest on windows that tell of a busy host instead.
//
// Shared by the judge and by the list of what is worth more windows, so that what the one misses is
// what the other asks for.
#ifndef RAILGAUGE_LIB_PLACEMENT_CERTAINTY_H_
#define RAILGAUGE_LIB_PLACEMENT_CERTAINTY_H_

#include <optional>
#include <string>
#include <vector>

#include "lib/placement/cell_table.h"
#include "lib/placement/decision.h"
#include "lib/placement/evidence.h"

namespace railgauge {

enum class Doubt {
  kNone,
  kDisturbed,  // in all its windows the measuring thread was kept from its CPU
  // Its class, and itself where it has several windows, spreads so much that a cell slower by
  // JudgeGates::bad_placement would not stand out. A class of unknown relation is none of equals.
  kSpread,
};

// Of a measured cell. None where paired rounds prove or disprove what it is compared with.
Doubt DoubtOf(const Evidence& evidence, const MeasuredCell& cell);

// The cells of chosen NICs at their consumers that are in doubt, the disturbed ones first.
std::vector<const MeasuredCell*> DoubtfulChosenCells(const Evidence& evidence);

// Why an OK for the assignment would rest on windows that prove nothing, and what to do; empty
// where it would not: chosen NICs' cells in doubt, or more than half of the other NICs' cells at
// the consumer disturbed in a dimension that is judged.
std::optional<std::string> WhyUncertain(const Evidence& evidence, const Assignment& assignment);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_CERTAINTY_H_
