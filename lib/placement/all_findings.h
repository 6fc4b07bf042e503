// AllFindings: every family of findings over one machine's records, in one list.
#ifndef RAILGAUGE_LIB_PLACEMENT_ALL_FINDINGS_H_
#define RAILGAUGE_LIB_PLACEMENT_ALL_FINDINGS_H_

#include <span>
#include <vector>

#include "lib/placement/decision.h"
#include "lib/placement/evidence.h"
#include "lib/placement/gates.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

// The worst severity first, then by kind, NIC address, field and places, whatever the order of the
// rows. Without samples, what the census and the machine alone show; `decision` may be null. What
// is missing in the records raises no finding of those that need it.
std::vector<Finding> AllFindings(const Machine& machine, std::span<const CensusRow> census,
                                 std::span<const Sample> samples, const Decision* decision,
                                 const JudgeGates& gates = {});

// The same from evidence of these rows.
std::vector<Finding> AllFindings(const Evidence& evidence, std::span<const CensusRow> census,
                                 std::span<const Sample> samples);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_ALL_FINDINGS_H_
