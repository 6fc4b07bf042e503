// Where the NICs and GPUs of an emulated machine sit, and what follows from it for a NIC and a
// memory place: the relation as the emulated hardware has it.
//
// Not lib/topology's RelationOf, on purpose: that one works from what hwloc shows to a tool, this
// one from the scenario, and a test holds the two against each other.
#ifndef RAILGAUGE_LIB_SCENARIO_LOCATION_H_
#define RAILGAUGE_LIB_SCENARIO_LOCATION_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/record/place.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

struct PciLocation {
  PciAddress host_bridge;           // domain and bus; device and function are 0
  std::vector<PciAddress> bridges;  // from the root port down to the one right above
  std::optional<uint32_t> numa_node;

  // What the uplink of a function belongs to: its root port, or its host bridge where there are no
  // bridges. Functions with the same uplink reach each other below it.
  std::string Uplink() const;
};

class PciLocations {
 public:
  explicit PciLocations(const EmulatedMachine& machine);

  // `address` must be a function of the machine.
  const PciLocation& Of(const PciAddress& address) const;

  // same_switch: a common PCI-PCI bridge; same_host_bridge: the host bridge is all they have in
  // common; then by NUMA node; unknown when the NUMA node of one is. Unknown for all on a flat
  // tree: what hangs on the one bus of a machine that shows nothing else is not near because of
  // that.
  Relation RelationOf(const PciAddress& nic, const MemoryPlace& place) const;

 private:
  void Add(const std::vector<EmulatedPciDevice>& devices, const PciLocation& above);

  std::map<PciAddress, PciLocation> locations_;
  bool flat_ = false;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_LOCATION_H_
