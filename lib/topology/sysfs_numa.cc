#include "lib/topology/sysfs_numa.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>

#include "fmt/core.h"
#include "lib/base/file.h"

namespace railgauge {
namespace {

void ReadNode(const std::string& sysfs_root, PciPosition& position) {
  const Result<std::string> text = ReadAttribute(
      fmt::format("{}/bus/pci/devices/{}/numa_node", sysfs_root, position.address.ToString()));
  if (!text) return;
  int node = -1;
  const char* last = text->data() + text->size();
  const auto [end, error] = std::from_chars(text->data(), last, node);
  position.numa_node.reset();
  if (error == std::errc() && end == last && node >= 0) {
    position.numa_node = static_cast<uint32_t>(node);
  }
}

}  // namespace

void ReadNumaNodesFromSysfs(const std::string& sysfs_root, Machine& machine) {
  for (Nic& nic : machine.nics) ReadNode(sysfs_root, nic.position);
  for (Gpu& gpu : machine.gpus) ReadNode(sysfs_root, gpu.position);
  for (Accelerator& item : machine.accelerators) ReadNode(sysfs_root, item.position);
}

}  // namespace railgauge
