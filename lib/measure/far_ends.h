// Far ends: with whom each NIC is measured in loopback when several run at once. Pure.
//
// A group is to show what its own members share, so what lies at the other ends should not be
// shared, too: partners differ, those of one switch's NICs lie below different switches and, in
// turn, on different NUMA nodes, and their memory is where nothing crosses a switch's uplink: in a
// GPU below the partner's own switch, where there is one. The partner that one NIC alone is
// measured with (topology/relation.h) would not do: four neighbours have four neighbours for
// partners, whose host memory is behind one uplink.
#ifndef RAILGAUGE_LIB_MEASURE_FAR_ENDS_H_
#define RAILGAUGE_LIB_MEASURE_FAR_ENDS_H_

#include <map>
#include <span>

#include "lib/base/pci_address.h"
#include "lib/record/place.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct FarEnd {
  PciAddress nic;
  MemoryPlace place;
  friend bool operator==(const FarEnd&, const FarEnd&) = default;
};

// Of every NIC of the machine. Where there is a choice no two NICs have the same partner, and none
// has one below its own switch; a NIC that is the only one is its own. `gpus` are those whose
// memory can be registered. A NIC is left out where the machine has no memory for its partner.
std::map<PciAddress, FarEnd> ChooseFarEnds(const Machine& machine,
                                           std::span<const PciAddress> gpus);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_FAR_ENDS_H_
