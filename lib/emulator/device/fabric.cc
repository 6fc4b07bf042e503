#include <memory>
#include <utility>

#include "lib/base/result.h"
#include "lib/emulator/device/device.h"
#include "lib/emulator/device/fabric_state.h"
#include "lib/emulator/device/requester.h"

namespace railgauge::efa {

Fabric::Fabric(std::span<const EmulatedMachine> machines, DmaSpace* dma_space,
               Environment environment)
    : state_(std::make_unique<FabricState>(machines, dma_space, std::move(environment),
                                           std::make_unique<Protocol>())) {}

Fabric::~Fabric() = default;

LocalDevice* Fabric::AddDevice(uint32_t node, const PciAddress& address, BarMemory bars) {
  if (node >= state_->nodes.size()) return nullptr;
  const EmulatedNic* nic = state_->nodes[node]->machine.FindNic(address);
  if (nic == nullptr) return nullptr;
  const auto lock = state_->engine.Acquire();
  auto device = std::make_unique<DeviceState>(*state_, node, *nic, bars);
  const bool first = state_->by_gid.emplace(device->gid, device.get()).second;
  RAILGAUGE_CHECK(first);  // added twice, or two NICs with one GID
  device->handle = std::unique_ptr<LocalDevice>(new LocalDevice(device.get()));
  state_->devices.push_back(std::move(device));
  return state_->devices.back()->handle.get();
}

std::optional<Nanoseconds> Fabric::Poll() { return state_->engine.Poll(); }

}  // namespace railgauge::efa
