// The PCI tree as placement rules walk it: what is above a function, and how far two are apart.
//
// Pure functions of a PciPosition. Rules differ in what they count (hwloc's objects, slashes of a
// sysfs path, a tool's own nodes), and that difference is what makes them choose different NICs, so
// each way of counting has its function here.
#ifndef RAILGAUGE_LIB_PLACEMENT_POLICIES_PCI_TREE_H_
#define RAILGAUGE_LIB_PLACEMENT_POLICIES_PCI_TREE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "lib/topology/machine.h"

namespace railgauge {

// The hwloc objects above a PCI function, nearest first: bridges, host bridge, NUMA node (on EC2
// the package as well), machine. What is not known is left out; the machine always ends the list.
std::vector<std::string> AncestorsOf(const PciPosition& position);

// Steps from `a` up to the nearest common ancestor and down to `b`, by AncestorsOf.
size_t TreeDistance(const PciPosition& a, const PciPosition& b);

// "/sys/devices/pci0000:44/0000:44:00.0/…/0000:4f:00.0", as realpath(3) of the function's entry in
// /sys/bus/pci/devices.
std::string SysfsPath(const PciPosition& position);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_POLICIES_PCI_TREE_H_
