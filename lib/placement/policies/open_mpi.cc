#include "lib/placement/policies/open_mpi.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "lib/placement/policies/consumers.h"
#include "lib/placement/policies/numa.h"
#include "lib/placement/policies/pci_tree.h"

namespace railgauge {

Result<Decision> DecideOpenMpi(const Machine& machine) {
  const std::vector<MemoryPlace> consumers = ConsumersOf(machine);
  std::vector<std::vector<size_t>> nics_of;
  std::map<std::optional<uint32_t>, size_t> processes_on;
  for (const MemoryPlace& consumer : consumers) {
    const std::optional<uint32_t> node = NodeOf(machine, consumer);
    const std::vector<size_t> nearest = NicsOfNode(machine, node);
    const size_t rank = processes_on[node]++;
    nics_of.push_back({nearest[rank % nearest.size()]});
  }
  return MakeDecision("ompi", machine, consumers, std::move(nics_of));
}

Result<Decision> DecideOpenMpiByGpu(const Machine& machine) {
  RAILGAUGE_RETURN_IF_ERROR(CheckHasGpus("ompi-gpu", machine));
  std::vector<std::vector<size_t>> nics_of;
  for (const Gpu& gpu : machine.gpus) {
    size_t best = 0;
    for (size_t n = 1; n < machine.nics.size(); ++n) {
      if (TreeDistance(machine.nics[n].position, gpu.position) <
          TreeDistance(machine.nics[best].position, gpu.position)) {
        best = n;
      }
    }
    nics_of.push_back({best});
  }
  return MakeGpuDecision("ompi-gpu", machine, std::move(nics_of));
}

Result<Decision> DecideByEnumeration(const Machine& machine) {
  const std::vector<MemoryPlace> consumers = ConsumersOf(machine);
  std::vector<std::vector<size_t>> nics_of;
  for (size_t i = 0; i < consumers.size(); ++i) nics_of.push_back({i % machine.nics.size()});
  return MakeDecision("enumeration", machine, consumers, std::move(nics_of));
}

}  // namespace railgauge
