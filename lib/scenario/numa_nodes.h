// NUMA nodes of a scenario: `numa_nodes:` and `threads_per_core:`.
#ifndef RAILGAUGE_LIB_SCENARIO_NUMA_NODES_H_
#define RAILGAUGE_LIB_SCENARIO_NUMA_NODES_H_

#include <vector>

#include "lib/scenario/emulated_machine.h"
#include "lib/scenario/yaml_reader.h"

namespace railgauge {

// By ascending index. A node, or a CPU, that is named twice is an error, and so is a machine
// without CPUs or without memory.
std::vector<EmulatedNumaNode> ReadNumaNodes(const YamlNode& node, uint32_t threads_per_core,
                                            YamlErrors* errors);

// "0-47,96-143" for a list in ascending order; the form of sysfs cpulist files.
std::string FormatCpuList(const std::vector<uint32_t>& cpus);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_NUMA_NODES_H_
