// The first 256 bytes of a PCI function's configuration space, as software finds them in sysfs
// `config`: header of type 0 or 1, and a PCI Express capability that tells the link's speed.
//
// Layout: PCI Local Bus specification 3.0 §6.1, PCI-to-PCI Bridge 1.2 §3.2, PCI Express 3.1 §7.8.
#ifndef RAILGAUGE_LIB_SCENARIO_PCI_CONFIG_SPACE_H_
#define RAILGAUGE_LIB_SCENARIO_PCI_CONFIG_SPACE_H_

#include <array>
#include <cstdint>

#include "lib/scenario/emulated_machine.h"

namespace railgauge {

using PciConfigSpace = std::array<uint8_t, 256>;

// `depth`: how many bridges are above the function, which tells a root port from a switch's ports.
// A function whose link is unknown has no PCI Express capability, as Nitro's flat trees show it.
PciConfigSpace MakePciConfigSpace(const EmulatedPciDevice& device, size_t depth);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_PCI_CONFIG_SPACE_H_
