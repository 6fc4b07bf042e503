#include "lib/emulator/device/path.h"

#include "lib/base/result.h"

namespace railgauge::efa {
namespace {

Path MakePath(const EmulatedPath& path, size_t num_resources, uint32_t first_resource) {
  Path result;
  for (const uint32_t index : path.resources) {
    RAILGAUGE_CHECK(index < num_resources);
    result.resources.push_back(first_resource + index);
  }
  return result;
}

}  // namespace

PathTable::PathTable(const EmulatedMachine& machine, const PciAddress& nic,
                     uint32_t first_resource) {
  const size_t count = machine.resources.size();
  for (const auto& [key, directions] : machine.paths) {
    if (key.first != nic) continue;
    paths_[key.second] = {MakePath(directions[0], count, first_resource),
                          MakePath(directions[1], count, first_resource)};
  }
}

const PathsOfPlace* PathTable::Find(const MemoryPlace& place) const {
  const auto found = paths_.find(place);
  return found == paths_.end() ? nullptr : &found->second;
}

}  // namespace railgauge::efa
