#include "lib/emulator/device/path.h"

#include "lib/base/result.h"

namespace railgauge::efa {
namespace {

Path MakePath(const EmulatedMachine& machine, const EmulatedPath& path, uint32_t first_resource) {
  Path result;
  if (!machine.timing.pacing) return result;
  for (const uint32_t index : path.resources) {
    RAILGAUGE_CHECK(index < machine.resources.size());
    result.resources.push_back(first_resource + index);
  }
  return result;
}

}  // namespace

PathTable::PathTable(const EmulatedMachine& machine, const PciAddress& nic,
                     uint32_t first_resource) {
  for (const auto& [key, directions] : machine.paths) {
    if (key.first != nic) continue;
    paths_[key.second] = {MakePath(machine, directions[0], first_resource),
                          MakePath(machine, directions[1], first_resource)};
  }
}

const PathsOfPlace* PathTable::Find(const MemoryPlace& place) const {
  const auto found = paths_.find(place);
  return found == paths_.end() ? nullptr : &found->second;
}

}  // namespace railgauge::efa
