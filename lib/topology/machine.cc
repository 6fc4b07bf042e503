#include "lib/topology/machine.h"

#include <algorithm>
#include <array>

#include "lib/record/enum_names.h"

namespace railgauge {
namespace {

constexpr std::array<std::string_view, 4> kAcsRedirects = {"not_asked", "unreadable", "off", "on"};

// Few entries (at most a few dozen), and machines written by hand may be out of order: no search
// tree, no binary search.
template <typename T, typename Predicate>
const T* FindOrNull(const std::vector<T>& items, Predicate predicate) {
  const auto it = std::find_if(items.begin(), items.end(), predicate);
  return it == items.end() ? nullptr : &*it;
}

}  // namespace

std::string_view ToString(AcsRedirect redirect) { return NameOf(kAcsRedirects, redirect); }
std::optional<AcsRedirect> ParseAcsRedirect(std::string_view text) {
  return FromName<AcsRedirect>(kAcsRedirects, text);
}

const Nic* Machine::FindNic(const PciAddress& address) const {
  return FindOrNull(nics, [&](const Nic& nic) { return nic.position.address == address; });
}

const Gpu* Machine::FindGpu(const PciAddress& address) const {
  return FindOrNull(gpus, [&](const Gpu& gpu) { return gpu.position.address == address; });
}

const PciBridge* Machine::FindBridge(const PciAddress& address) const {
  return FindOrNull(bridges, [&](const PciBridge& bridge) { return bridge.address == address; });
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
