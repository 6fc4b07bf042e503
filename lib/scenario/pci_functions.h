// The catalogue `functions:` of a scenario: each kind of PCI function that the machine has, by a
// name that its PCI trees use.
#ifndef RAILGAUGE_LIB_SCENARIO_PCI_FUNCTIONS_H_
#define RAILGAUGE_LIB_SCENARIO_PCI_FUNCTIONS_H_

#include <map>
#include <string>

#include "lib/base/pci_address.h"
#include "lib/scenario/emulated_machine.h"
#include "lib/scenario/yaml_reader.h"

namespace railgauge {

// Everything of a function but its address.
struct PciFunctionType {
  EmulatedPciDevice device;
  EmulatedNic nic;           // of kNic; the name is a pattern
  EmulatedGpu gpu;           // of kGpu
  std::string name_pattern;  // of kOther the network interface's, may be empty; of kRdma its own
};

// Reads "16GT/s x8", or "unknown", into `device`: what sysfs shows of its link.
void ReadLink(const YamlNode& node, EmulatedPciDevice* device, YamlErrors* errors);

std::map<std::string, PciFunctionType> ReadPciFunctions(const YamlNode& node, YamlErrors* errors);

// `pattern` with {domain}, {bus}, {device}, {function} replaced by the address in decimal, as udev
// names devices. An error when the result is no name that a device can have.
std::string ExpandName(const std::string& pattern, const PciAddress& address, int line,
                       YamlErrors* errors);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_PCI_FUNCTIONS_H_
