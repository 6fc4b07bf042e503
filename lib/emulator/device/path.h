// PathTable: the shared resources between one NIC and each memory place.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_PATH_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_PATH_H_

#include <cstdint>
#include <map>
#include <vector>

#include "lib/record/place.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge::efa {

// A half of a transfer: device to memory or memory to device. Indexes into the fabric's
// FlowNetwork; none where nothing limits.
struct Path {
  std::vector<uint32_t> resources;
};

struct PathsOfPlace {
  Path to_memory;
  Path from_memory;
};

class PathTable {
 public:
  // The machine's resources are in the network from `first_resource` on.
  PathTable(const EmulatedMachine& machine, const PciAddress& nic, uint32_t first_resource);

  // Null when the machine has no path from the NIC to `place`. Stays valid with the table.
  const PathsOfPlace* Find(const MemoryPlace& place) const;

 private:
  std::map<MemoryPlace, PathsOfPlace> paths_;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_PATH_H_
