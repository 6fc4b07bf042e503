// The best assignment as text: for a person, and as the decision file that the next check takes.
#ifndef RAILGAUGE_LIB_PLACEMENT_BEST_ASSIGNMENT_TEXT_H_
#define RAILGAUGE_LIB_PLACEMENT_BEST_ASSIGNMENT_TEXT_H_

#include <span>
#include <string>

#include "lib/placement/best_assignment.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

// One line below verdicts: "best measured assignment: worst consumer 12.40 GB/s, +31 % against this
// placement; `railgauge plan DIRECTORY` writes it". Empty where the decision is as good, what it
// gives is not known, or the gain is neither bad_placement of JudgeGates nor certain: single
// windows differ by some percent by themselves.
std::string AdviceLine(const BestAssignment& best, const JudgeGates& gates,
                       const std::string& directory);

// The same from the records of a run; empty, too, where nothing was measured.
std::string AdviceOf(const Machine& machine, std::span<const CensusRow> census,
                     std::span<const Sample> samples, const Decision& decision,
                     const std::string& directory);

// The assignment with what each consumer gets, the gain, and how sure it is; lines of at most 100.
std::string FormatBestAssignment(const Machine& machine, const BestAssignment& best);

// The decision as CSV (decision.h), with comments that say where it is from.
std::string DecisionCsv(const RunIdentity& run, const Decision& given, const BestAssignment& best);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_BEST_ASSIGNMENT_TEXT_H_
