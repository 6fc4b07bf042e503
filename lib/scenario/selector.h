// Which (NIC, place) pairs a rule of a scenario is about: its keys `nics`, `places`, `relation`.
//
//   nics: all | rdmap79s0 | "0000:4f:00.0" | a list of them            (default: all)
//   places: all | host | gpus | numa0 | gpu3 | "gpu:0000:53:00.0" | a list   (default: all)
//   relation: same_switch | same_host_bridge | same_numa_node | other_numa_node | unknown
//                                                                      (default: any)
#ifndef RAILGAUGE_LIB_SCENARIO_SELECTOR_H_
#define RAILGAUGE_LIB_SCENARIO_SELECTOR_H_

#include <vector>

#include "lib/scenario/emulated_machine.h"
#include "lib/scenario/location.h"
#include "lib/scenario/yaml_reader.h"

namespace railgauge {

// A word that names no NIC or place of the machine, and a selection that is empty, are errors.
std::vector<EmulatedMachine::NicPlace> SelectNicPlaces(const YamlMap& rule,
                                                       const EmulatedMachine& machine,
                                                       const PciLocations& locations,
                                                       YamlErrors* errors);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_SELECTOR_H_
