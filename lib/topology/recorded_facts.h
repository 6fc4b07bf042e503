// What a Machine knows beyond hwloc, as info attributes of hwloc's objects, so that a recorded
// topology is judged as the live one was: RailgaugePortRate and RailgaugeP2pProvider of NICs,
// RailgaugeAcsRedirect of bridges. Other programs read past them; lstopo -v shows them.
#ifndef RAILGAUGE_LIB_TOPOLOGY_RECORDED_FACTS_H_
#define RAILGAUGE_LIB_TOPOLOGY_RECORDED_FACTS_H_

#include <hwloc.h>

#include "lib/topology/machine.h"

namespace railgauge {

void RecordFacts(const Machine& machine, hwloc_topology_t topology);
// Into the NICs and bridges that the machine has already. What is no value is passed over.
void ReadRecordedFacts(hwloc_topology_t topology, Machine& machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_TOPOLOGY_RECORDED_FACTS_H_
