#include <algorithm>
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

bool Fabric::SetFaults(uint32_t node, const PciAddress& address,
                       std::vector<EmulatedNicFault> faults) {
  Engine& engine = state_->engine;
  Engine::Lock lock = engine.Acquire();
  bool found = false;
  for (const auto& device : state_->devices) {
    if (device->node_index != node || device->address != address) continue;
    device->faults.Set(std::move(faults), engine.Now());
    device->AdvanceFaults(engine.Now());
    engine.Wake();
    found = true;
    break;
  }
  engine.Release(lock);
  return found;
}

void Fabric::SetCapacities(uint32_t node, std::span<const EmulatedResource> resources) {
  Engine& engine = state_->engine;
  Engine::Lock lock = engine.Acquire();
  NodeState& machine = *state_->nodes.at(node);
  for (size_t i = 0; i < machine.capacities.size() && i < resources.size(); ++i) {
    if (machine.capacities[i] == resources[i].capacity) continue;
    machine.capacities[i] = resources[i].capacity;
    engine.SetCapacity(machine.first_resource + static_cast<uint32_t>(i), resources[i].capacity);
  }
  for (const auto& device : state_->devices) {
    if (device->node_index != node) continue;
    device->foreign_rate = 0;  // of the lines as they are now
    device->AdvanceFaults(engine.Now());
  }
  engine.Wake();
  engine.Release(lock);
}

std::optional<Nanoseconds> Fabric::Poll() {
  Engine& engine = state_->engine;
  Engine::Lock lock = engine.Acquire();
  const SimTime now = engine.Now();
  SimTime next_fault = kNever;
  for (const auto& device : state_->devices) {
    if (device->faults.faults().empty()) continue;
    next_fault = std::min(next_fault, device->AdvanceFaults(now));
  }
  engine.Release(lock);
  const std::optional<Nanoseconds> next = engine.Poll();
  if (next_fault == kNever) return next;
  const Nanoseconds fault_at = engine.ToClock(next_fault);
  return next ? std::min(*next, fault_at) : fault_at;
}

}  // namespace railgauge::efa
