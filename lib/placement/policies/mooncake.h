// Policy `mooncake`: the NICs that Mooncake's transfer engine prefers.
//
// For a GPU: of the NICs of its NUMA node (of all NICs where none is known to be of that node),
// those with the fewest path components between the two in sysfs; a transfer takes any of them by
// chance, so all of them serve the GPU, and several GPUs may share them. For host memory: the NICs
// of its NUMA node, or all others where it has none. Source: Mooncake
// mooncake-transfer-engine/src/topology.cpp (discoverCudaTopology, getPciDistance,
// discoverCpuTopology, selectDevice).
#ifndef RAILGAUGE_LIB_PLACEMENT_POLICIES_MOONCAKE_H_
#define RAILGAUGE_LIB_PLACEMENT_POLICIES_MOONCAKE_H_

#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/topology/machine.h"

namespace railgauge {

Result<Decision> DecideMooncake(const Machine& machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_POLICIES_MOONCAKE_H_
