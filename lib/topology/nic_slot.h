// The slot of a NIC: where it sits in the PCI tree, named so that the same place of two machines of
// one instance type has the same name.
//
// A name of udev or a PCI address is one host's: a kernel that numbers buses itself does so in the
// order in which it finds them, so that a bridge which is missing shifts those behind it. What is
// wired stays: the device and function numbers of the bridges down to the NIC, and the order of the
// host bridges. A slot is "0/00.0/00.0/01.3/00.0": the rank of the host bridge among those that
// lead to a NIC, GPU or accelerator, then device.function of every bridge, and of the NIC. (A host
// bridge that lost all of them shifts those behind it; then slots of another count of bridges are
// compared, which shows as missing ones.)
//
// That is what baselines go by, which outlive kernels, images and generations of a host. Machines
// that measure with each other (a pair of hosts, a fleet) are matched by the PCI address alone:
//  * of EFA instance types it is the type's. aws-ofi-nccl ships one topology file for all
//  p5.48xlarge
//    and for all p4d.24xlarge (topology/p5.48xl-topo.xml, p4d-24xl-topo.xml), whose addresses "need
//    to match" those of the machine, and EFA devices, named by it, have the same names everywhere;
//  * it is what a flag, a log and `lspci` of any of them say, while a rank needs the whole tree;
//  * where it fails nothing false is said: a NIC whose peer has none at its address is left out
//    (RunGroups::other_slot), and machines of a type whose addresses differ are reported as that
//    and not as missing NICs (Renumbered in lib/fleet/fleet_analysis.h).
#ifndef RAILGAUGE_LIB_TOPOLOGY_NIC_SLOT_H_
#define RAILGAUGE_LIB_TOPOLOGY_NIC_SLOT_H_

#include <map>
#include <string>

#include "lib/base/pci_address.h"
#include "lib/topology/machine.h"

namespace railgauge {

// Every NIC of the machine has one, and no two the same. Where no host bridge is known (PCI is
// hidden) it is "nic0", "nic1", … in the order of addresses.
std::map<PciAddress, std::string> NicSlots(const Machine& machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_TOPOLOGY_NIC_SLOT_H_
