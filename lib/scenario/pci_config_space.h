// A PCI function's configuration space, as software finds it in sysfs `config`: header of type 0 or
// 1, a PCI Express capability that tells the link's speed, and of ports that forward peer traffic
// Access Control Services.
//
// Layout: PCI Local Bus specification 3.0 §6.1, PCI-to-PCI Bridge 1.2 §3.2, PCI Express 3.1 §7.8
// and §7.16.
#ifndef RAILGAUGE_LIB_SCENARIO_PCI_CONFIG_SPACE_H_
#define RAILGAUGE_LIB_SCENARIO_PCI_CONFIG_SPACE_H_

#include <cstdint>
#include <vector>

#include "lib/scenario/emulated_machine.h"

namespace railgauge {

using PciConfigSpace = std::vector<uint8_t>;

// `depth`: how many bridges are above the function, which tells a root port from a switch's ports.
// A function whose link is unknown has no PCI Express capability, as Nitro's flat trees show it.
// 256 bytes, or 4096 where there is an extended capability.
PciConfigSpace MakePciConfigSpace(const EmulatedPciDevice& device, size_t depth);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_PCI_CONFIG_SPACE_H_
