// Findings about a machine by itself: what it lacks of its instance type (lib/instance_types), and
// what PCI shows of it. Needs no measuring. Pure.
//
// Counts and rates are held against published or seen facts only; of a type that is not in the
// table, NICs are held against each other. An RDMA device that is not EFA counts nowhere.
#ifndef RAILGAUGE_LIB_PLACEMENT_MACHINE_FINDINGS_H_
#define RAILGAUGE_LIB_PLACEMENT_MACHINE_FINDINGS_H_

#include <vector>

#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

// nic_count, gpu_count, port_rate, no_topology, numa_unknown, narrow_link.
std::vector<Finding> FindMachineFindings(const Machine& machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_MACHINE_FINDINGS_H_
