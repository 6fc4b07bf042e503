// MachineOfNode: one of several like machines on a network, made from the scenario of one.
//
// Real machines of one type differ in what identifies them and in nothing that a path depends on;
// so do these: by the GIDs and GUIDs of their NICs. PCI addresses and names are the same on all.
#ifndef RAILGAUGE_LIB_SCENARIO_NODES_H_
#define RAILGAUGE_LIB_SCENARIO_NODES_H_

#include <cstdint>

#include "lib/scenario/emulated_machine.h"

namespace railgauge {

// What the doorbells of a fabric reach: 32-bit numbers of words (fabric/doorbell_ring.h), and some
// 2 GiB of BARs for each node with 32 NICs.
inline constexpr uint32_t kMaxNodes = 8;

// `node` < kMaxNodes; 0 is the machine as it is.
EmulatedMachine MachineOfNode(const EmulatedMachine& machine, uint32_t node);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_NODES_H_
