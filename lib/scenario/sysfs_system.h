// The part of an emulated /sys and /proc that describes CPUs, NUMA nodes and the machine's name.
#ifndef RAILGAUGE_LIB_SCENARIO_SYSFS_SYSTEM_H_
#define RAILGAUGE_LIB_SCENARIO_SYSFS_SYSTEM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/scenario/emulated_machine.h"
#include "lib/scenario/file_tree.h"

namespace railgauge {

void WriteCpus(const EmulatedMachine& machine, FileTree* tree);
void WriteNumaNodes(const EmulatedMachine& machine, FileTree* tree);
void WriteMachineName(const EmulatedMachine& machine, FileTree* tree);
// proc/cpuinfo.
void WriteCpuInfo(const EmulatedMachine& machine, FileTree* tree);

// The CPUs of a NUMA node; all of the machine's, as Linux has it, where the node is unknown.
// Ascending.
std::vector<uint32_t> CpusOfNode(const EmulatedMachine& machine, std::optional<uint32_t> numa_node);

// "0000ffff,ffffffff": words of 32 bits, the highest first, as many as the machine's CPUs need.
std::string FormatCpuMask(const EmulatedMachine& machine, const std::vector<uint32_t>& cpus);

// "0-47,96-143" for a list in ascending order; empty for an empty list.
std::string FormatCpuList(const std::vector<uint32_t>& cpus);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_SYSFS_SYSTEM_H_
