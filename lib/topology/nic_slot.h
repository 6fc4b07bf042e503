// The slot of a NIC: where it sits in the PCI tree, named so that the same place of two machines of
// one instance type has the same name.
//
// A name of udev or a PCI address is one host's: buses are numbered in the order in which they are
// found, so a NIC that is missing shifts those behind it. What is wired stays: the device and
// function numbers of the bridges down to the NIC, and the order of the host bridges. A slot is
// "0/00.0/00.0/01.3/00.0": the rank of the host bridge among those that lead to a NIC, GPU or
// accelerator, then device.function of every bridge, and of the NIC. (A host bridge that lost all
// of them shifts those behind it; then slots of another count of bridges are compared, which shows
// as missing ones.)
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
