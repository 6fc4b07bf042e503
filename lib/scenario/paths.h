// Capacities: `shared_capacities:` and `paths:` of a scenario become, for each (NIC, place,
// direction), the resources that a transfer occupies and the rate that results.
//
// A path crosses, in this order: the NIC's own line rate (rx to memory, tx from memory); a limit of
// this pair alone where a rule of `paths:` sets one below the line rate; the uplink of the NIC when
// the place is not below the same root port, and then of the GPU's as well; the link between two
// NUMA nodes; at last the NUMA node's memory or the GPU's own link.
#ifndef RAILGAUGE_LIB_SCENARIO_PATHS_H_
#define RAILGAUGE_LIB_SCENARIO_PATHS_H_

#include "lib/scenario/emulated_machine.h"
#include "lib/scenario/location.h"
#include "lib/scenario/yaml_reader.h"

namespace railgauge {

// Fills resources and paths of `machine`. A pair for which no rule gives both directions is an
// error.
void ReadPaths(const YamlNode& shared_capacities, const YamlNode& paths,
               const PciLocations& locations, EmulatedMachine* machine, YamlErrors* errors);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_PATHS_H_
