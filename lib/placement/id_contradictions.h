// Findings: interconnect ids that contradict their format, or each other.
#ifndef RAILGAUGE_LIB_PLACEMENT_ID_CONTRADICTIONS_H_
#define RAILGAUGE_LIB_PLACEMENT_ID_CONTRADICTIONS_H_

#include <span>
#include <vector>

#include "lib/placement/id_table.h"
#include "lib/record/records.h"

namespace railgauge {

// id_above_format, one per NIC; census_contradicts_itself, one per NIC.
std::vector<Finding> FindIdContradictions(std::span<const NicIds> table);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_ID_CONTRADICTIONS_H_
