// Findings of NICs that have no one speed: half of a cell's windows are a tenth or more away from
// their median, whatever its like do.
//
// Where all swing alike none stands out of its class, and paired rounds still compare them rightly;
// but no figure of theirs is true for longer than a moment. Which NICs are told of here and which
// by two_speeds or wide_spread, variance.h says.
#ifndef RAILGAUGE_LIB_PLACEMENT_UNSTEADY_H_
#define RAILGAUGE_LIB_PLACEMENT_UNSTEADY_H_

#include <vector>

#include "lib/placement/evidence.h"
#include "lib/record/records.h"

namespace railgauge {

// One finding of each NIC, with the places and extremes of all its cells.
std::vector<Finding> FindUnsteady(const Evidence& evidence);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_UNSTEADY_H_
