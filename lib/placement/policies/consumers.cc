#include "lib/placement/policies/consumers.h"

#include <algorithm>
#include <string>
#include <utility>

namespace railgauge {

std::vector<MemoryPlace> ConsumersOf(const Machine& machine) {
  std::vector<MemoryPlace> places = machine.Places();
  if (!machine.gpus.empty()) {
    std::erase_if(places, [](const MemoryPlace& place) { return !place.is_gpu(); });
  }
  return places;
}

std::optional<uint32_t> NodeOf(const Machine& machine, const MemoryPlace& consumer) {
  if (consumer.is_host()) return consumer.numa_node;
  const Gpu* gpu = machine.FindGpu(consumer.gpu);
  return gpu == nullptr ? std::nullopt : gpu->position.numa_node;
}

Decision MakeDecision(std::string_view name, const Machine& machine,
                      const std::vector<MemoryPlace>& consumers,
                      std::vector<std::vector<size_t>> nics_of) {
  Decision decision{"policy " + std::string(name), {}};
  for (size_t c = 0; c < consumers.size(); ++c) {
    if (nics_of[c].empty()) continue;
    std::sort(nics_of[c].begin(), nics_of[c].end());
    Assignment assignment{consumers[c], {}};
    for (const size_t n : nics_of[c]) assignment.nics.push_back(machine.nics[n].key());
    decision.assignments.push_back(std::move(assignment));
  }
  return decision;
}

Decision MakeGpuDecision(std::string_view name, const Machine& machine,
                         std::vector<std::vector<size_t>> nics_of) {
  std::vector<MemoryPlace> consumers;
  for (const Gpu& gpu : machine.gpus) consumers.push_back(MemoryPlace::Gpu(gpu.position.address));
  return MakeDecision(name, machine, consumers, std::move(nics_of));
}

Status CheckHasGpus(std::string_view name, const Machine& machine) {
  if (!machine.gpus.empty()) return {};
  return Fail(MakeError("decide by policy", std::string(name),
                        "its rule speaks of GPUs, and this machine shows none",
                        "Take a policy that also serves NUMA nodes: nearest, mooncake, numa, "
                        "ompi or enumeration"));
}

}  // namespace railgauge
