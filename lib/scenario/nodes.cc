#include "lib/scenario/nodes.h"

#include <string>

#include "fmt/core.h"
#include "lib/base/result.h"

namespace railgauge {
namespace {

// Adds the node to the byte of the EUI-64 that pci_tree.cc leaves 0: "0200:dddd:NNbb:ddff", which
// is also the last half of a GID.
void SetNode(std::string& address, uint32_t node) {
  constexpr size_t kFromEnd = 9;
  RAILGAUGE_CHECK(address.size() > kFromEnd);
  const size_t at = address.size() - kFromEnd;
  RAILGAUGE_CHECK(address.compare(at, 2, "00") == 0);
  address.replace(at, 2, fmt::format("{:02x}", node));
}

}  // namespace

EmulatedMachine MachineOfNode(const EmulatedMachine& machine, uint32_t node) {
  RAILGAUGE_CHECK(node < kMaxNodes);
  EmulatedMachine result = machine;
  for (EmulatedNic& nic : result.nics) {
    SetNode(nic.gid, node);
    SetNode(nic.node_guid, node);
  }
  return result;
}

}  // namespace railgauge
