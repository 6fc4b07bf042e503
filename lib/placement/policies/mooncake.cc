#include "lib/placement/policies/mooncake.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "lib/placement/policies/consumers.h"
#include "lib/placement/policies/numa.h"
#include "lib/placement/policies/pci_tree.h"

namespace railgauge {
namespace {

// Slashes behind the first character at which the two paths differ: functions of one device or
// neighbours below one bridge are at distance 0.
size_t Distance(const PciPosition& a, const PciPosition& b) {
  const std::string path_a = SysfsPath(a);
  const std::string path_b = SysfsPath(b);
  const auto [rest_a, rest_b] =
      std::mismatch(path_a.begin(), path_a.end(), path_b.begin(), path_b.end());
  return static_cast<size_t>(std::count(rest_a, path_a.end(), '/') +
                             std::count(rest_b, path_b.end(), '/'));
}

}  // namespace

Result<Decision> DecideMooncake(const Machine& machine) {
  const std::vector<MemoryPlace> consumers = ConsumersOf(machine);
  std::vector<std::vector<size_t>> nics_of;
  for (const MemoryPlace& consumer : consumers) {
    std::vector<size_t> nics = NicsOfNode(machine, NodeOf(machine, consumer));
    if (const Gpu* gpu = machine.FindGpu(consumer.gpu); consumer.is_gpu() && gpu != nullptr) {
      const auto distance = [&](size_t n) {
        return Distance(machine.nics[n].position, gpu->position);
      };
      size_t least = distance(nics.front());
      for (const size_t n : nics) least = std::min(least, distance(n));
      std::erase_if(nics, [&](size_t n) { return distance(n) != least; });
    }
    nics_of.push_back(std::move(nics));
  }
  return MakeDecision("mooncake", machine, consumers, std::move(nics_of));
}

}  // namespace railgauge
