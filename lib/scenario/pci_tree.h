// The PCI trees of a scenario: `host_bridges:` with the `trees:` that repeat below them, expanded
// into one device per address.
#ifndef RAILGAUGE_LIB_SCENARIO_PCI_TREE_H_
#define RAILGAUGE_LIB_SCENARIO_PCI_TREE_H_

#include <map>
#include <string>

#include "lib/scenario/emulated_machine.h"
#include "lib/scenario/pci_functions.h"
#include "lib/scenario/yaml_reader.h"

namespace railgauge {

// Fills host_bridges, nics, gpus and accelerators (these three by ascending address) of `machine`,
// whose numa_nodes are already there. Checks that addresses and names are unique and that every bus
// lies where the bridge above says.
void ReadPciTrees(const YamlNode& host_bridges, const YamlNode* trees,
                  const std::map<std::string, PciFunctionType>& functions, EmulatedMachine* machine,
                  YamlErrors* errors);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_PCI_TREE_H_
