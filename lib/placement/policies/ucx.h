// Policy `ucx`: the devices that UCX takes for the memory of a GPU when UCX_NET_DEVICES is not set.
//
// UCX puts a device and a GPU into one of four classes by the deepest folder of sysfs that both are
// in, and gives each class a bandwidth and a latency: below a PCI bridge (unlimited, 0), in
// /sys/devices on one NUMA node (17000 MB/s, 300 ns), below one host bridge but no common PCI
// bridge (19200 MB/s divided by the path's components, 3500 MB/s at most, 300 ns), on two nodes
// (220 MB/s, 500 ns). It uses up to UCX_MAX_RNDV_RAILS (2) of the devices: the fastest, first by
// class and then by enumeration, and a second that is at least a quarter as fast
// (UCX_MULTI_LANE_MAX_RATIO).
//
// One host bridge without bridges below it (p4d) thus ranks behind another bridge of the same node.
// Sources: UCX src/ucs/sys/topo/base/topo.c (ucs_topo_update_distance_sysfs),
// src/ucp/wireup/select.c (ucp_wireup_add_fast_lanes_*), src/ucp/core/ucp_context.c (defaults).
#ifndef RAILGAUGE_LIB_PLACEMENT_POLICIES_UCX_H_
#define RAILGAUGE_LIB_PLACEMENT_POLICIES_UCX_H_

#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/topology/machine.h"

namespace railgauge {

Result<Decision> DecideUcx(const Machine& machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_POLICIES_UCX_H_
