#include "lib/scenario/emulated_machine.h"

#include <algorithm>

#include "lib/base/result.h"

namespace railgauge {

std::vector<MemoryPlace> EmulatedMachine::Places() const {
  std::vector<MemoryPlace> places;
  for (const EmulatedNumaNode& node : numa_nodes) {
    if (node.memory.count > 0) places.push_back(MemoryPlace::NumaNode(node.index));
  }
  for (const EmulatedGpu& gpu : gpus) places.push_back(MemoryPlace::Gpu(gpu.address));
  return places;
}

const InterconnectIds& EmulatedMachine::IdsOf(const PciAddress& nic, const MemoryPlace& place,
                                              RegistrationWay way) const {
  static const InterconnectIds kNoIds;
  const bool peer = place.is_gpu() && way == RegistrationWay::kPeerMemory;
  const auto& ids = peer ? peer_memory_ids : host_and_dmabuf_ids;
  const auto found = ids.find({nic, place});
  return found == ids.end() ? kNoIds : found->second;
}

const EmulatedPath& EmulatedMachine::PathOf(const PciAddress& nic, const MemoryPlace& place,
                                            Direction direction) const {
  const auto found = paths.find({nic, place});
  RAILGAUGE_CHECK(found != paths.end());
  return found->second[direction == Direction::kToMemory ? 0 : 1];
}

const EmulatedNic* EmulatedMachine::FindNic(const PciAddress& address) const {
  const auto found = std::find_if(nics.begin(), nics.end(),
                                  [&](const EmulatedNic& nic) { return nic.address == address; });
  return found == nics.end() ? nullptr : &*found;
}

std::optional<uint32_t> EmulatedMachine::LineOf(const PciAddress& nic, Direction direction) const {
  const std::string name =
      "nic:" + nic.ToString() + (direction == Direction::kToMemory ? ":rx" : ":tx");
  for (uint32_t index = 0; index < resources.size(); ++index) {
    if (resources[index].name == name) return index;
  }
  return std::nullopt;
}

}  // namespace railgauge
