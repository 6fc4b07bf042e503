#include "lib/placement/policies/numa.h"

#include <numeric>
#include <utility>

#include "lib/placement/policies/consumers.h"

namespace railgauge {

std::vector<size_t> NicsOfNode(const Machine& machine, std::optional<uint32_t> node) {
  std::vector<size_t> nics;
  for (size_t n = 0; n < machine.nics.size(); ++n) {
    if (node && machine.nics[n].position.numa_node == node) nics.push_back(n);
  }
  if (!nics.empty()) return nics;
  nics.resize(machine.nics.size());
  std::iota(nics.begin(), nics.end(), size_t{0});
  return nics;
}

Result<Decision> DecideNuma(const Machine& machine) {
  const std::vector<MemoryPlace> consumers = ConsumersOf(machine);
  std::vector<std::vector<size_t>> nics_of;
  for (const MemoryPlace& consumer : consumers) {
    nics_of.push_back(NicsOfNode(machine, NodeOf(machine, consumer)));
  }
  return MakeDecision("numa", machine, consumers, std::move(nics_of));
}

}  // namespace railgauge
