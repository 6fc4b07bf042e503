#include "lib/placement/policies/pci_tree.h"

#include <algorithm>

#include "fmt/core.h"

namespace railgauge {

std::vector<std::string> AncestorsOf(const PciPosition& position) {
  std::vector<std::string> ancestors;
  for (auto bridge = position.bridges.rbegin(); bridge != position.bridges.rend(); ++bridge) {
    ancestors.push_back(bridge->ToString());
  }
  if (!position.host_bridge.empty()) {
    ancestors.push_back("host bridge " + position.host_bridge);
  }
  if (position.numa_node) ancestors.push_back(fmt::format("numa{}", *position.numa_node));
  ancestors.emplace_back("machine");
  return ancestors;
}

size_t TreeDistance(const PciPosition& a, const PciPosition& b) {
  const std::vector<std::string> above_a = AncestorsOf(a);
  const std::vector<std::string> above_b = AncestorsOf(b);
  for (size_t i = 0; i < above_a.size(); ++i) {
    const auto common = std::find(above_b.begin(), above_b.end(), above_a[i]);
    if (common == above_b.end()) continue;
    return i + 1 + static_cast<size_t>(common - above_b.begin()) + 1;
  }
  return above_a.size() + above_b.size();  // not reached: the machine is above both
}

std::string SysfsPath(const PciPosition& position) {
  std::string path = "/sys/devices/pci" + position.host_bridge;
  for (const PciAddress& bridge : position.bridges) path += "/" + bridge.ToString();
  return path + "/" + position.address.ToString();
}

}  // namespace railgauge
