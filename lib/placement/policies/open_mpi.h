// Policies `ompi`, `ompi-gpu` and `enumeration`: how Open MPI's OFI components (mtl/ofi, btl/ofi)
// choose the one NIC of a process, here one process per GPU, or per NUMA node where there is no
// GPU.
//
//  * ompi, the default with bound processes: the NICs nearest to the CPUs, which hwloc shows to be
//    those of the NUMA node, all alike; the r-th process of a node takes NIC r of them, modulo. The
//    GPU plays no part.
//  * ompi-gpu, with the parameter opal_common_ofi_accelerator_rank set to 0: the first of the NICs
//    with the fewest hwloc objects between GPU and NIC. GPUs below one switch take the same.
//  * enumeration, what is left where processes are not bound, and what launch scripts do that
//  number
//    devices by local rank: process i takes NIC i, modulo.
// Source: Open MPI opal/mca/common/ofi/common_ofi.c (get_nearest_nic,
// find_nearest_provider_from_accelerator, select_provider_round_robin).
#ifndef RAILGAUGE_LIB_PLACEMENT_POLICIES_OPEN_MPI_H_
#define RAILGAUGE_LIB_PLACEMENT_POLICIES_OPEN_MPI_H_

#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/topology/machine.h"

namespace railgauge {

Result<Decision> DecideOpenMpi(const Machine& machine);
Result<Decision> DecideOpenMpiByGpu(const Machine& machine);
Result<Decision> DecideByEnumeration(const Machine& machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_POLICIES_OPEN_MPI_H_
