// Mooncake's topology JSON (its "nic priority matrix"): {"cuda:0": [["rdmap79s0"], ["rdmap80s0"]],
// "cpu:0": …}, of each place the preferred NICs and the others.
//
// A transfer takes a preferred NIC by chance, and one of the others only where there is no
// preferred one; so the first list decides, and the second when the first is empty. "cuda:N" is
// CUDA's ordinal, "cpu:N" a NUMA node; the nodes count only where no GPU is named. Source: Mooncake
// mooncake-transfer-engine/src/topology.cpp (parse, selectDevice).
#ifndef RAILGAUGE_LIB_PLACEMENT_IMPORT_MOONCAKE_TOPOLOGY_H_
#define RAILGAUGE_LIB_PLACEMENT_IMPORT_MOONCAKE_TOPOLOGY_H_

#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/placement/import/import_source.h"

namespace railgauge {

Result<Decision> ImportMooncakeTopology(const ImportSource& source);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_IMPORT_MOONCAKE_TOPOLOGY_H_
