// Policy `nearest`: every NIC is used, by exactly one consumer, as near as an even split allows.
//
// railgauge's own rule, for machines whose owners want all NICs at work: as `nixl` (nixl.h)
// wherever every switch with NICs has a GPU, which is how EC2's GPU types are built. Where it has
// none (GB200, a container with some of the GPUs), nixl leaves those NICs idle, and nearest gives
// them away.
#ifndef RAILGAUGE_LIB_PLACEMENT_POLICIES_NEAREST_H_
#define RAILGAUGE_LIB_PLACEMENT_POLICIES_NEAREST_H_

#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/topology/machine.h"

namespace railgauge {

Result<Decision> DecideNearest(const Machine& machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_POLICIES_NEAREST_H_
