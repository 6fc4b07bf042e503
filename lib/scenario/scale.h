// Scaled machines: the same machine with every rate divided, for hosts that cannot move data as
// fast as the real one does ("p5.48xlarge/16": 32 NICs at once on two cores).
//
// It is an instance type of its own: sysfs, the ports and the DMI name show the divided rates, so
// that no tool needs to know, and none that compares with a type's rates finds the machine slow.
#ifndef RAILGAUGE_LIB_SCENARIO_SCALE_H_
#define RAILGAUGE_LIB_SCENARIO_SCALE_H_

#include <cstdint>

#include "lib/scenario/emulated_machine.h"

namespace railgauge {

// Divides line rates, capacities, paths, reported rates and link speeds, and appends "/16" to the
// instance type; 1 changes nothing. Latency and message limits stay. A link whose divided speed no
// PCIe generation and width has is shown as unknown.
void ScaleDown(uint32_t divisor, EmulatedMachine* machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_SCALE_H_
