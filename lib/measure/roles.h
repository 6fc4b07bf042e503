// Which end of a loopback transfer does what, for a cell. Pure.
//
// The NIC under test touches the place under test; its partner touches host memory of its own NUMA
// node. Operation and direction say which of the two NICs initiates:
//
//   operation  direction    initiator  data goes
//   read       to_memory    nic        partner memory -> place   (initiator writes the place)
//   read       from_memory  partner    place -> partner memory   (responder reads the place)
//   write      from_memory  nic        place -> partner memory   (initiator reads the place)
//   write      to_memory    partner    partner memory -> place   (target writes the place)
#ifndef RAILGAUGE_LIB_MEASURE_ROLES_H_
#define RAILGAUGE_LIB_MEASURE_ROLES_H_

#include <optional>
#include <string>

#include "lib/record/place.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

// Whether the NIC under test posts the requests; else its partner does.
bool NicInitiates(Operation operation, Direction direction);

// Whether data moves to the place under test; else it moves away from it.
inline bool DataGoesToPlace(Direction direction) { return direction == Direction::kToMemory; }

// The partner's memory: its own NUMA node, or, where that is unknown or has no memory, the first
// node with memory. Empty when the machine has none.
std::optional<MemoryPlace> PartnerPlace(const Machine& machine, const Nic& partner);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_ROLES_H_
