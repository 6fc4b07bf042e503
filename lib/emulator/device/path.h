// PathTable: the shared resources between one NIC and each memory place, as rate limiters.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_PATH_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_PATH_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "lib/emulator/device/rate_limiter.h"
#include "lib/record/place.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge::efa {

// A half of a transfer: device to memory or memory to device. The limiters are the fabric's.
struct Path {
  std::vector<RateLimiter*> resources;

  // When `bytes` that start at `now` are through the slowest resource.
  SimTime Reserve(SimTime now, uint64_t bytes) const {
    SimTime end = now;
    for (RateLimiter* resource : resources) end = std::max(end, resource->Reserve(now, bytes));
    return end;
  }
};

struct PathsOfPlace {
  Path to_memory;
  Path from_memory;
};

class PathTable {
 public:
  // `limiters` has one entry for each of the machine's resources and outlives the table.
  PathTable(const EmulatedMachine& machine, const PciAddress& nic,
            std::vector<RateLimiter>& limiters);

  // Null when the machine has no path from the NIC to `place`. Stays valid with the table.
  const PathsOfPlace* Find(const MemoryPlace& place) const;

 private:
  std::map<MemoryPlace, PathsOfPlace> paths_;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_PATH_H_
