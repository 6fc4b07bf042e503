#include "lib/topology/machine.h"

#include <algorithm>

namespace railgauge {
namespace {

// Few entries (at most a few dozen), and machines written by hand may be out of order: no search
// tree, no binary search.
template <typename T, typename Predicate>
const T* FindOrNull(const std::vector<T>& items, Predicate predicate) {
  const auto it = std::find_if(items.begin(), items.end(), predicate);
  return it == items.end() ? nullptr : &*it;
}

}  // namespace

const Nic* Machine::FindNic(const PciAddress& address) const {
  return FindOrNull(nics, [&](const Nic& nic) { return nic.position.address == address; });
}

const Gpu* Machine::FindGpu(const PciAddress& address) const {
  return FindOrNull(gpus, [&](const Gpu& gpu) { return gpu.position.address == address; });
}

const Accelerator* Machine::FindAccelerator(const PciAddress& address) const {
  return FindOrNull(accelerators,
                    [&](const Accelerator& item) { return item.position.address == address; });
}

const NumaNode* Machine::FindNumaNode(uint32_t os_index) const {
  return FindOrNull(numa_nodes, [&](const NumaNode& node) { return node.os_index == os_index; });
}

std::vector<MemoryPlace> Machine::Places() const {
  std::vector<MemoryPlace> places;
  for (const NumaNode& node : numa_nodes) {
    if (node.memory.count > 0) places.push_back(MemoryPlace::NumaNode(node.os_index));
  }
  for (const Gpu& gpu : gpus) places.push_back(MemoryPlace::Gpu(gpu.position.address));
  return places;
}

std::vector<MemoryPlace> Machine::UnsupportedPlaces() const {
  std::vector<MemoryPlace> places;
  for (const Accelerator& item : accelerators) {
    places.push_back(MemoryPlace::Accelerator(item.position.address));
  }
  return places;
}

Status Machine::CheckHasNics() const {
  if (!nics.empty()) return {};
  const std::string where = hostname.empty() ? "" : "on host '" + hostname + "'";
  if (!shows_pci) {
    return Fail(MakeError("find EFA NICs", where,
                          "the topology shows no PCI devices at all, so NICs may be hidden",
                          "Give the container /sys, or export the XML with all I/O objects "
                          "(lstopo --filter io:all)"));
  }
  return Fail(MakeError("find EFA NICs", where,
                        "PCI is visible and has no EFA device (vendor 1d0f, device efa0 to efa4)",
                        "Attach an EFA interface to the instance, or use --emulate=TYPE"));
}

}  // namespace railgauge
