// Capacities: what is known of how much passes through what several transfers cross (crossing.h).
//
// A list and no table of the machine: most capacities are unknown, and unknown is no bound. What is
// known was measured by NICs that ran at once (load), or is a ceiling that somebody published.
#ifndef RAILGAUGE_LIB_PLACEMENT_CAPACITY_H_
#define RAILGAUGE_LIB_PLACEMENT_CAPACITY_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/units.h"
#include "lib/placement/cell_table.h"
#include "lib/placement/crossing.h"
#include "lib/record/load_group.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct KnownCapacity {
  Resource resource;  // kEither: of each flow
  // Of transfers of this kind alone; empty: of all.
  std::optional<Dimension> dimension;
  BytesPerSecond rate{0};
  std::string source;  // "measured by group numa0"
};

// What a transfer between the NIC and the memory crosses for certain on this side.
std::vector<Resource> CertainCrossings(const Machine& machine, const NicKey& nic,
                                       const MemoryPlace& place, Direction direction);

// Whether a transfer that crosses `crossed` is bounded by the capacity.
bool Bounds(const KnownCapacity& capacity, const std::vector<Resource>& crossed,
            const Dimension& dimension);

// Of what groups.csv names as the one thing that slows a group: the most that all groups moved
// through it in one kind of transfer. Groups whose loss several things may explain bound nothing.
std::vector<KnownCapacity> MeasuredCapacities(const Machine& machine,
                                              std::span<const GroupRow> groups);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_CAPACITY_H_
