// What a run found out, as notes on the topology of its machine: ids, relations, throughputs and
// verdicts for lstopo and whoever else reads hwloc's XML. Pure; results/README.md lists the names.
//
// A list has one entry per place (on a NIC) or NIC (on a place): "numa0=7 gpu:0000:53:00.0=9". Ids
// are "-" where the device named none and "?" where it cannot tell or was not asked; throughputs
// are medians, "?" where there is none.
#ifndef RAILGAUGE_LIB_PLACEMENT_TOPOLOGY_NOTES_H_
#define RAILGAUGE_LIB_PLACEMENT_TOPOLOGY_NOTES_H_

#include <string_view>
#include <vector>

#include "lib/placement/explanation.h"
#include "lib/topology/annotate.h"

namespace railgauge {

// What every name of an info begins with. Those with Railgauge alone are facts of the machine
// itself (lib/topology/recorded_facts.h), which stay as they are.
inline constexpr std::string_view kNotePrefix = "RailgaugeRun";

// On the machine: the run. On every NIC: all that is known of it at each place; its subtype is what
// it moves in its worst operation and direction at the fastest and at the slowest place, "EFA
// 12.5/5.2 GB/s". On every NUMA node and GPU: the nearest NICs and the verdict; the subtype of a
// GPU is how many NICs are as fast as its fastest, "GPU 4 EFA 12.5 GB/s". Subtypes begin with the
// platform unless that is hardware, and what was not measured has none.
std::vector<ObjectNotes> TopologyNotes(const RunRecords& records);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_TOPOLOGY_NOTES_H_
