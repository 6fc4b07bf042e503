// Finding parts of an emulated machine, for edits.
#ifndef RAILGAUGE_LIB_SCENARIO_FAULT_MACHINE_PARTS_H_
#define RAILGAUGE_LIB_SCENARIO_FAULT_MACHINE_PARTS_H_

#include <algorithm>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

template <typename T>
bool Contains(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// Calls `visit` for every PCI function, bridges before what is below them.
template <typename Visit>
void ForEachFunction(std::vector<EmulatedPciDevice>& devices, Visit& visit) {
  for (EmulatedPciDevice& device : devices) {
    visit(device);
    ForEachFunction(device.children, visit);
  }
}

template <typename Visit>
void ForEachFunction(EmulatedMachine* machine, Visit visit) {
  for (EmulatedHostBridge& host : machine->host_bridges) ForEachFunction(host.children, visit);
}

// Null when the machine has no such function.
inline EmulatedPciDevice* FindFunction(EmulatedMachine* machine, const PciAddress& address) {
  EmulatedPciDevice* found = nullptr;
  ForEachFunction(machine, [&](EmulatedPciDevice& device) {
    if (device.address == address) found = &device;
  });
  return found;
}

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_FAULT_MACHINE_PARTS_H_
