// Policy `numa`: every consumer uses all NICs of its NUMA node, as programs do that are bound to a
// node and look no further; all NICs of the machine where the node is unknown or has none.
//
// Source: the rule of Mooncake (discoverCpuTopology) and NIXL (DRAM rails) for host memory, taken
// for GPUs too.
#ifndef RAILGAUGE_LIB_PLACEMENT_POLICIES_NUMA_H_
#define RAILGAUGE_LIB_PLACEMENT_POLICIES_NUMA_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/topology/machine.h"

namespace railgauge {

// The indexes of the NICs of `node`; of all NICs where it is unknown or has none.
std::vector<size_t> NicsOfNode(const Machine& machine, std::optional<uint32_t> node);

Result<Decision> DecideNuma(const Machine& machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_POLICIES_NUMA_H_
