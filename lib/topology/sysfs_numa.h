// The NUMA node of PCI functions, from the kernel itself.
//
// hwloc keeps a host bridge's node only as the place where it hangs the bridge in its tree, which
// cannot tell "node 0" from "not known" where there is but one node. The kernel's attribute can.
#ifndef RAILGAUGE_LIB_TOPOLOGY_SYSFS_NUMA_H_
#define RAILGAUGE_LIB_TOPOLOGY_SYSFS_NUMA_H_

#include <string>

#include "lib/topology/machine.h"

namespace railgauge {

// Sets the NUMA node of every NIC, GPU and accelerator from
// `sysfs_root`/bus/pci/devices/ADDRESS/numa_node; -1 is unknown. Where the attribute cannot be read
// the position keeps what it has.
void ReadNumaNodesFromSysfs(const std::string& sysfs_root, Machine& machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_TOPOLOGY_SYSFS_NUMA_H_
