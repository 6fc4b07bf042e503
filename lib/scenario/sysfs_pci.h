// The PCI part of an emulated /sys: devices/pci*, bus/pci, and the class folders of what hangs on
// them (class/infiniband, class/infiniband_verbs, class/net).
#ifndef RAILGAUGE_LIB_SCENARIO_SYSFS_PCI_H_
#define RAILGAUGE_LIB_SCENARIO_SYSFS_PCI_H_

#include "lib/scenario/emulated_machine.h"
#include "lib/scenario/file_tree.h"

namespace railgauge {

// The NIC at index N of machine.nics is uverbsN, device number 231:192+N.
void WritePciDevices(const EmulatedMachine& machine, FileTree* tree);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_SYSFS_PCI_H_
