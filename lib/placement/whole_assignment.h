// The verdict on a whole assignment, from those on its consumers.
#ifndef RAILGAUGE_LIB_PLACEMENT_WHOLE_ASSIGNMENT_H_
#define RAILGAUGE_LIB_PLACEMENT_WHOLE_ASSIGNMENT_H_

#include <span>
#include <string>

#include "lib/record/assignment_row.h"
#include "lib/record/records.h"

namespace railgauge {

// The worst verdict among the rows, by the exit status first and then by how surely something is to
// be gained: WRONG, OVERSUBSCRIBED, SLOW, IDLE; INVALID, UNDECIDED, NOISY; OK. Of equal ones the
// consumer with the greatest regret, then the first by place. UNDECIDED without rows.
AssignmentRow JudgeWhole(const std::string& decision, std::span<const PlacementRow> placement);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_WHOLE_ASSIGNMENT_H_
