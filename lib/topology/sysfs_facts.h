// What sysfs has of NICs and bridges and hwloc has not: the rate that a port reports, who lets a
// NIC register GPU memory, whether bridges redirect.
#ifndef RAILGAUGE_LIB_TOPOLOGY_SYSFS_FACTS_H_
#define RAILGAUGE_LIB_TOPOLOGY_SYSFS_FACTS_H_

#include <string>

#include "lib/topology/machine.h"

namespace railgauge {

// Sets Nic::port_rate and Nic::p2p_provider of every NIC and PciBridge::acs_redirect of every
// bridge from the sysfs at `sysfs_root`. What cannot be read stays as it is, but for a bridge,
// which then is kUnreadable.
void ReadFactsFromSysfs(const std::string& sysfs_root, Machine& machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_TOPOLOGY_SYSFS_FACTS_H_
