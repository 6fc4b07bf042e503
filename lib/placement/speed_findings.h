// Findings about measured speeds that a verdict on a placement does not tell: variance, and classes
// that are slow as a whole, in which no NIC stands out and no better one exists. Pure.
//
// One finding for all classes (speed_class.h) of one relation and kind of memory, however many of
// their cells show it, in whatever operation and direction.
#ifndef RAILGAUGE_LIB_PLACEMENT_SPEED_FINDINGS_H_
#define RAILGAUGE_LIB_PLACEMENT_SPEED_FINDINGS_H_

#include <vector>

#include "lib/placement/evidence.h"
#include "lib/record/records.h"

namespace railgauge {

// two_speeds, class_of_two_speeds, wide_spread, class_below_ceiling, cpu_bound, no_counters.
//
// class_below_ceiling: the median of a class whose memory is as near as it gets (the NIC's own host
// bridge, or its own NUMA node for host memory) is below JudgeGates::far_below_ceiling of the best
// line rate that is known. Of GPUs below one switch peer_path_findings.h tells. Farther memory may
// be as slow as it is for all that is known.
std::vector<Finding> FindSpeedFindings(const Evidence& evidence);

// Whether the cell's windows say of the path what they measured, and its messages are long enough
// to reach a line rate: 64 KiB reach 97 % of p5's (published).
bool TellsOfItsPath(const MeasuredCell& cell);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_SPEED_FINDINGS_H_
