#include "lib/emulator/device/path.h"

#include "lib/base/result.h"

namespace railgauge::efa {
namespace {

Path LimitersOf(const EmulatedPath& path, std::vector<RateLimiter>& limiters) {
  Path result;
  for (const uint32_t index : path.resources) {
    RAILGAUGE_CHECK(index < limiters.size());
    result.resources.push_back(&limiters[index]);
  }
  return result;
}

}  // namespace

PathTable::PathTable(const EmulatedMachine& machine, const PciAddress& nic,
                     std::vector<RateLimiter>& limiters) {
  for (const auto& [key, directions] : machine.paths) {
    if (key.first != nic) continue;
    paths_[key.second] = {LimitersOf(directions[0], limiters), LimitersOf(directions[1], limiters)};
  }
}

const PathsOfPlace* PathTable::Find(const MemoryPlace& place) const {
  const auto found = paths_.find(place);
  return found == paths_.end() ? nullptr : &found->second;
}

}  // namespace railgauge::efa
