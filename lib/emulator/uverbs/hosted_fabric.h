// HostedFabric: the device model with what it needs to live in a process: memory for BARs and
// rings, the DMA space, and who hears of completions. Time and copies are the caller's.
#ifndef RAILGAUGE_LIB_EMULATOR_UVERBS_HOSTED_FABRIC_H_
#define RAILGAUGE_LIB_EMULATOR_UVERBS_HOSTED_FABRIC_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "lib/base/result.h"
#include "lib/emulator/device/device.h"
#include "lib/emulator/device/dma_space.h"
#include "lib/emulator/uverbs/arena.h"
#include "lib/emulator/uverbs/completion_events.h"
#include "lib/emulator/uverbs/hardware.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

class HostedFabric {
 public:
  // `environment`'s completion_event and device_removed are the host's own and replaced.
  static Result<std::unique_ptr<HostedFabric>> Create(std::span<const EmulatedMachine> nodes,
                                                      efa::Fabric::Environment environment);

  Arena& arena() { return *arena_; }
  efa::DmaSpace& dma_space() { return dma_space_; }
  efa::Fabric& fabric() { return *fabric_; }

  size_t num_nodes() const { return nodes_.size(); }
  size_t num_devices(size_t node) const { return nodes_[node].devices.size(); }
  const BarLayout& layout(size_t node) const { return nodes_[node].layout; }
  efa::LocalDevice& device(size_t node, size_t index) { return *nodes_[node].devices[index]; }
  LocalCompletionEvents& events(size_t node, size_t index) { return *nodes_[node].events[index]; }

  // Set before the first device is used.
  void SetRemovalListener(std::function<void(size_t node, size_t index)> listener) {
    removal_listener_ = std::move(listener);
  }

  // A store to a doorbell page of that node; others are ignored.
  void StoreDoorbell(size_t node, uint64_t offset, uint32_t value);

 private:
  struct Node {
    BarLayout layout;
    std::vector<PciAddress> addresses;
    std::vector<efa::LocalDevice*> devices;
    std::vector<std::unique_ptr<LocalCompletionEvents>> events;
  };

  HostedFabric() = default;
  Status AddNode(const EmulatedMachine& machine);
  // A NIC by its address. Empty when there is none.
  std::optional<size_t> IndexOf(size_t node, const PciAddress& nic) const;

  std::unique_ptr<Arena> arena_;
  efa::DmaSpace dma_space_;
  std::vector<Node> nodes_;  // const after Create
  std::function<void(size_t node, size_t index)> removal_listener_;
  std::unique_ptr<efa::Fabric> fabric_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_UVERBS_HOSTED_FABRIC_H_
