// Relation between a NIC and a memory place, with the PCI path that shows why.
//
// Pure functions over a Machine. Relations, nearest first:
//  * same_switch: the two share a PCI-PCI bridge. A PCIe link has two ends, so all that lies below
//    one root port hangs on one component: a switch (or switches in cascade, or, where a hypervisor
//    shows the root port only, a switch that is hidden), and traffic between the two need not pass
//    the host bridge. Sharing any bridge is the same as sharing the topmost one, so the relation
//    agrees with GroupNics. p5: 4 NICs and a GPU below root port, upstream port and one downstream
//    port each. g6 is the counter-example: each GPU has a root port of its own.
//  * same_host_bridge: one host bridge, no common PCI-PCI bridge (p4d shows no bridges, and its
//    host bridges are the groups).
//  * same_numa_node, other_numa_node: by NUMA node; the only relations that host memory has.
//  * unknown: what decides is not shown (a flat tree, NUMA -1, PCI hidden, a GPU that the machine
//    does not list). Never invented: unknown is not other_numa_node, and two unknown nodes are not
//    the same node.
#ifndef RAILGAUGE_LIB_TOPOLOGY_RELATION_H_
#define RAILGAUGE_LIB_TOPOLOGY_RELATION_H_

#include <string>
#include <vector>

#include "lib/record/place.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct RelationResult {
  Relation relation = Relation::kUnknown;
  // Up ('<') from the NIC to what is common, then down ('>') to the place; host bridges are written
  // "0000:44", NUMA nodes "numa0", and '=' is the link between two NUMA nodes:
  //   same_switch       0000:4f:00.0 < 0000:46:01.0 < 0000:45:00.0 > 0000:46:01.4 > 0000:53:00.0
  //   same_host_bridge  0000:10:1b.0 < 0000:10 > 0000:10:1c.0
  //   same_numa_node    0000:10:1b.0 < 0000:10 < numa0
  //   other_numa_node   0000:10:1b.0 < 0000:10 < numa0 = numa1 > 0000:90 > 0000:90:1c.0
  // Empty when nothing is known.
  std::string pci_path;
  // PCI-PCI bridges and host bridges crossed; the tie-break between equal relations. (Equal hops
  // across a socket boundary are no equal cost: compare the relation first.)
  int hops = 0;
};

// `nic` is the machine's own. A place that the machine does not have is kUnknown for a GPU (CUDA
// can see GPUs whose PCI function a container hides); host memory is judged by its node's index.
RelationResult RelationOf(const Machine& machine, const Nic& nic, const MemoryPlace& place);

// The NICs in groups that share the topmost bridge below the host bridge, and so the switch or at
// least its uplink; or the host bridge where no bridge is shown. Each group is named by what it
// shares: "switch 0000:44:00.0", "host bridge 0000:10", "flat" (the tree is flat), or "unknown"
// (not even a host bridge is known). Groups are in order of their first NIC, NICs in order of PCI
// address, as in the machine.
struct NicGroup {
  std::string name;
  std::vector<PciAddress> nics;
};
std::vector<NicGroup> GroupNics(const Machine& machine);

// The fixed partner of a NIC for loopback measuring of `place`: the NIC at the same position
// (modulo its size) of the next group on the same NUMA node, so that the two share no switch, but
// also no link between sockets lies between them; nor does the partner share a switch with a GPU
// under test, whose traffic would then meet the partner's own on the switch's uplink (that halves
// what is measured). A group that is alone on its node, or whose node is unknown, goes on to the
// next such group; when there is none, to the next group of the machine; and within the group when
// it is the only one. The NIC itself only when it is the only NIC. From the last group on to the
// first the position is the next one, so that no two are each other's partners where a group has
// several: which of two is slow shows only in what they do apart (placement/partner_blame.h). Where
// two would be each other's all the same (nodes of two groups with one NIC each), a NIC's partner
// for host memory of another node is the one that sits there as it does on its own node; that adds
// no link between sockets to the one which such memory lies behind anyway.
//
// For host memory of each NIC's own node, where groups are of equal size and no lone group has to
// borrow from another node, partners are a permutation: every NIC serves exactly one other. Aborts
// when the machine lacks `nic`.
PciAddress PartnerOf(const Machine& machine, const PciAddress& nic, const MemoryPlace& place);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_TOPOLOGY_RELATION_H_
