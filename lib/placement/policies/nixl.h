// Policy `nixl`: nearest ancestor with exclusive split, the rule of NIXL's libfabric plugin and of
// aws-ofi-nccl's NIC groups.
//
// Every GPU climbs the hwloc tree to its first ancestor that has a NIC below it; every NIC climbs
// to its first ancestor where GPUs ended. The NICs of an ancestor are dealt to its GPUs in PCI
// order, in consecutive runs of equal size, the first ones one longer. Fewer NICs than GPUs there:
// all of its GPUs share all of its NICs (NIXL; aws-ofi-nccl makes one group per NIC and leaves the
// sharing to NCCL). A NIC that no GPU's ancestor is above stays idle; a GPU whose ancestor gets no
// NIC may use all of the machine. Sources: NIXL src/utils/libfabric/libfabric_topology.cpp
// (groupNicsWithAccel, getEfaDevicesForPci), aws-ofi-nccl src/nccl_ofi_topo.cpp
// (nccl_ofi_topo_group).
#ifndef RAILGAUGE_LIB_PLACEMENT_POLICIES_NIXL_H_
#define RAILGAUGE_LIB_PLACEMENT_POLICIES_NIXL_H_

#include <cstddef>
#include <vector>

#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/topology/machine.h"

namespace railgauge {

Result<Decision> DecideNixl(const Machine& machine);

// The groups of NICs (indexes in machine.nics) that aws-ofi-nccl shows to NCCL as one device each:
// by the rule above, or one NIC each where there are fewer NICs than GPUs, or no GPU above. Ordered
// by their first NIC.
std::vector<std::vector<size_t>> AwsOfiNcclGroups(const Machine& machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_POLICIES_NIXL_H_
