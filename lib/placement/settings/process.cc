#include "lib/placement/settings/process.h"

#include <algorithm>

#include "fmt/core.h"
#include "lib/placement/policies/consumers.h"

namespace railgauge {

std::vector<Process> ProcessesOf(const Machine& machine, const Decision& decision) {
  std::vector<Process> processes;
  for (const Assignment& assignment : decision.assignments) {
    Process& process = processes.emplace_back();
    process.consumer = assignment.consumer;
    for (size_t i = 0; i < machine.gpus.size() && assignment.consumer.is_gpu(); ++i) {
      if (machine.gpus[i].position.address == assignment.consumer.gpu) process.gpu = i;
    }
    if (const auto node = NodeOf(machine, assignment.consumer)) {
      process.numa_node = machine.FindNumaNode(*node);
    }
    for (const NicKey& nic : assignment.nics) {
      process.nics.push_back(nic.name.empty() ? nic.address.ToString() : nic.name);
    }
  }
  return processes;
}

std::string JoinNames(const std::vector<std::string>& names, std::string_view separator,
                      std::string_view ending) {
  std::string text;
  for (const std::string& name : names) {
    text += fmt::format("{}{}{}", text.empty() ? "" : separator, name, ending);
  }
  return text;
}

std::string CudaVariables(const Process& process) {
  if (!process.gpu) return "";
  return fmt::format("CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES={} ", *process.gpu);
}

std::string CommentOf(const Process& process) {
  return fmt::format("# {}\n", process.consumer.ToString());
}

std::string MaskOf(const std::vector<uint32_t>& cpus) {
  uint32_t highest = 0;
  for (const uint32_t cpu : cpus) highest = std::max(highest, cpu);
  std::vector<unsigned> digits(highest / 4 + 1, 0);
  for (const uint32_t cpu : cpus) digits[cpu / 4] |= 1U << (cpu % 4);
  std::string text = "0x";
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    text += fmt::format("{:x}", *digit);
  }
  return text;
}

void AddUnknownNodes(const std::vector<Process>& processes, std::vector<std::string>& limits) {
  for (const Process& process : processes) {
    if (process.numa_node != nullptr && !process.numa_node->cpus.empty()) continue;
    limits.push_back(fmt::format(
        "The topology does not show the NUMA node of {}, or none of its processors: its process is "
        "not bound.",
        process.consumer.ToString()));
  }
}

}  // namespace railgauge
