// A process of a decision: one consumer, and how launchers name what belongs to it.
#ifndef RAILGAUGE_LIB_PLACEMENT_SETTINGS_PROCESS_H_
#define RAILGAUGE_LIB_PLACEMENT_SETTINGS_PROCESS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/placement/decision.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct Process {
  MemoryPlace consumer;
  std::optional<size_t> gpu;            // in PCI order; empty for a NUMA node
  const NumaNode* numa_node = nullptr;  // null where it is not known
  std::vector<std::string> nics;        // device names; of one without a name, its address
};
std::vector<Process> ProcessesOf(const Machine& machine, const Decision& decision);

// "a,b" with what each name ends in: ":1".
std::string JoinNames(const std::vector<std::string>& names, std::string_view separator = ",",
                      std::string_view ending = "");

// "CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=3 "; nothing for a NUMA node.
std::string CudaVariables(const Process& process);

// "# gpu:0000:53:00.0", the line that tells a person whose the next one is.
std::string CommentOf(const Process& process);

// "0xff000000ff", as hwloc-bind and srun's mask_cpu take it.
std::string MaskOf(const std::vector<uint32_t>& cpus);

// What is not expressed where a process has no NUMA node that is known.
void AddUnknownNodes(const std::vector<Process>& processes, std::vector<std::string>& limits);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_SETTINGS_PROCESS_H_
