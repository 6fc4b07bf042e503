// NUMA nodes and CPU caches of a scenario: `numa_nodes:`, `threads_per_core:` and `caches:`.
#ifndef RAILGAUGE_LIB_SCENARIO_NUMA_NODES_H_
#define RAILGAUGE_LIB_SCENARIO_NUMA_NODES_H_

#include <vector>

#include "lib/scenario/emulated_machine.h"
#include "lib/scenario/yaml_reader.h"

namespace railgauge {

// By ascending index. A node, or a CPU, that is named twice is an error, and so is a machine
// without CPUs or without memory. One item may stand for several nodes that have neither.
std::vector<EmulatedNumaNode> ReadNumaNodes(const YamlNode& node, uint32_t threads_per_core,
                                            YamlErrors* errors);

// In the file's order, whose levels must ascend.
std::vector<EmulatedCache> ReadCaches(const YamlNode& node, YamlErrors* errors);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_NUMA_NODES_H_
