// What placement rules begin and end with: the consumers of a machine, and a Decision from the
// indexes of the NICs that a rule gives to each.
#ifndef RAILGAUGE_LIB_PLACEMENT_POLICIES_CONSUMERS_H_
#define RAILGAUGE_LIB_PLACEMENT_POLICIES_CONSUMERS_H_

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/topology/machine.h"

namespace railgauge {

// GPUs, or on a machine without any the NUMA nodes that have memory.
std::vector<MemoryPlace> ConsumersOf(const Machine& machine);

// The NUMA node of a consumer; empty when it is not known.
std::optional<uint32_t> NodeOf(const Machine& machine, const MemoryPlace& consumer);

// The decision of policy `name`: `nics_of[c]` are the indexes in `machine.nics` of the NICs of
// `consumers[c]`, put in ascending order here. A consumer without NICs is left out, as what nothing
// serves is no decision.
Decision MakeDecision(std::string_view name, const Machine& machine,
                      const std::vector<MemoryPlace>& consumers,
                      std::vector<std::vector<size_t>> nics_of);

// As MakeDecision with the machine's GPUs as consumers.
Decision MakeGpuDecision(std::string_view name, const Machine& machine,
                         std::vector<std::vector<size_t>> nics_of);

// An error where the machine has no GPU, for rules that speak of GPUs only.
Status CheckHasGpus(std::string_view name, const Machine& machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_POLICIES_CONSUMERS_H_
