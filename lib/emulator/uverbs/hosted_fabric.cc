#include "lib/emulator/uverbs/hosted_fabric.h"

#include <algorithm>
#include <utility>

namespace railgauge {

namespace {
// For CQs and receive queues of all functions of a node. Address space, not memory.
constexpr uint64_t kRingPoolBytes = uint64_t{8} << 30;
}  // namespace

Result<std::unique_ptr<HostedFabric>> HostedFabric::Create(std::span<const EmulatedMachine> nodes,
                                                           efa::Fabric::Environment environment) {
  std::unique_ptr<HostedFabric> host(new HostedFabric());
  uint64_t bytes = 0;
  for (const EmulatedMachine& machine : nodes) {
    bytes += machine.nics.size() * (BarLayout::kLlqBytes + BarLayout::kDoorbellBytes);
    bytes += kRingPoolBytes;
  }
  RAILGAUGE_ASSIGN_OR_RETURN(host->arena_, Arena::Create(bytes));
  environment.completion_event = [raw = host.get()](uint32_t node, const PciAddress& nic,
                                                    uint16_t cq) {
    if (const auto index = raw->IndexOf(node, nic)) raw->events(node, *index).Raise(cq);
  };
  environment.device_removed = [raw = host.get()](uint32_t node, const PciAddress& nic) {
    const auto index = raw->IndexOf(node, nic);
    if (index && raw->removal_listener_) raw->removal_listener_(node, *index);
  };
  host->fabric_ = std::make_unique<efa::Fabric>(nodes, &host->dma_space_, std::move(environment));
  host->nodes_.reserve(nodes.size());
  for (const EmulatedMachine& machine : nodes) RAILGAUGE_RETURN_IF_ERROR(host->AddNode(machine));
  return host;
}

Status HostedFabric::AddNode(const EmulatedMachine& machine) {
  const size_t index = nodes_.size();
  Node& node = nodes_.emplace_back();
  const size_t count = machine.nics.size();
  node.layout.num_devices = count;
  if (count == 0) return {};
  // All doorbells of a node in one piece: the fault handler then needs one comparison.
  const auto doorbells = arena_->Allocate(count * BarLayout::kDoorbellBytes);
  const auto llq = arena_->Allocate(count * BarLayout::kLlqBytes);
  RAILGAUGE_CHECK(doorbells.has_value() && llq.has_value());
  node.layout.doorbells_begin = *doorbells;
  node.layout.llq_begin = *llq;
  for (size_t i = 0; i < count; ++i) {
    const EmulatedNic& nic = machine.nics[i];
    efa::LocalDevice* device = fabric_->AddDevice(
        static_cast<uint32_t>(index), nic.address,
        {.llq = arena_->At(node.layout.LlqKey(i), BarLayout::kLlqBytes),
         .doorbells = arena_->At(node.layout.DoorbellKey(i), BarLayout::kDoorbellBytes)});
    RAILGAUGE_CHECK(device != nullptr);
    node.addresses.push_back(nic.address);
    node.devices.push_back(device);
    node.events.push_back(std::make_unique<LocalCompletionEvents>());
  }
  return {};
}

void HostedFabric::StoreDoorbell(size_t node, uint64_t offset, uint32_t value) {
  const BarLayout& layout = nodes_[node].layout;
  if (!layout.IsDoorbell(offset)) return;
  const uint64_t in_all = offset - layout.doorbells_begin;
  nodes_[node].devices[in_all / BarLayout::kDoorbellBytes]->Doorbell(
      in_all % BarLayout::kDoorbellBytes, value);
}

std::optional<size_t> HostedFabric::IndexOf(size_t node, const PciAddress& nic) const {
  const std::vector<PciAddress>& addresses = nodes_[node].addresses;
  const auto found = std::find(addresses.begin(), addresses.end(), nic);
  if (found == addresses.end()) return std::nullopt;
  return static_cast<size_t>(found - addresses.begin());
}

}  // namespace railgauge
