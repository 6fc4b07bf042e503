// Relation between a NIC and a memory place, with the PCI path that shows why.
//
// Pure functions over a Machine. Rules (README "Topology"):
//  * same_switch: both below one PCI-PCI bridge that is below a root port, or, where a root port is
//    the only bridge shown, below that root port.
//  * same_host_bridge: one host bridge, no common PCI-PCI bridge (p4d: host bridges are the
//  groups).
//  * same_numa_node / other_numa_node: by NUMA node; the only relations a host memory place has.
//  * unknown: what decides is not shown: a flat tree, NUMA -1, PCI hidden. Never invented.
#ifndef RAILGAUGE_LIB_TOPOLOGY_RELATION_H_
#define RAILGAUGE_LIB_TOPOLOGY_RELATION_H_

#include <string>
#include <vector>

#include "lib/record/place.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct RelationResult {
  Relation relation = Relation::kUnknown;
  // "0000:c6:00.0 < 0000:c5:01.0 > 0000:c7:00.0": up from the NIC to what is common, then down to
  // the place. For host memory it ends in the NUMA node. Empty when nothing is known.
  std::string pci_path;
  // PCI-PCI bridges and host bridges crossed; the tie-break between equal relations.
  int hops = 0;
};

// `nic` and `place` must be the machine's own (place: a GPU or a NUMA node of it).
RelationResult RelationOf(const Machine& machine, const Nic& nic, const MemoryPlace& place);

// The NICs in groups that share the topmost bridge below the host bridge (the switch), or the host
// bridge where no bridge is shown; each group named by it ("switch 0000:c5:00.0", "host bridge
// 0000:10", or "flat"). Groups and their NICs in order of PCI address.
struct NicGroup {
  std::string name;
  std::vector<PciAddress> nics;
};
std::vector<NicGroup> GroupNics(const Machine& machine);

// The fixed partner of a NIC for loopback measuring: the NIC at the same position of the next group
// on the same NUMA node, so that the two share no switch; where there is none, another NIC of the
// machine by the same rule without the NUMA condition; the NIC itself only when it is the only one.
PciAddress PartnerOf(const Machine& machine, const PciAddress& nic);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_TOPOLOGY_RELATION_H_
