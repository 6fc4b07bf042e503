#include "lib/measure/roles.h"

namespace railgauge {

bool NicInitiates(Operation operation, Direction direction) {
  return (operation == Operation::kRead) == (direction == Direction::kToMemory);
}

std::optional<MemoryPlace> PartnerPlace(const Machine& machine, const Nic& partner) {
  if (partner.position.numa_node) {
    const NumaNode* node = machine.FindNumaNode(*partner.position.numa_node);
    if (node != nullptr && node->memory.count > 0) return MemoryPlace::NumaNode(node->os_index);
  }
  for (const NumaNode& node : machine.numa_nodes) {
    if (node.memory.count > 0) return MemoryPlace::NumaNode(node.os_index);
  }
  return std::nullopt;
}

}  // namespace railgauge
