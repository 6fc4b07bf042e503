#include "lib/placement/crossing.h"

#include <algorithm>
#include <optional>

#include "fmt/core.h"
#include "lib/topology/relation.h"

namespace railgauge {
namespace {

using Kind = Resource::Kind;
using Flow = Resource::Flow;

Flow Opposite(Flow flow) { return flow == Flow::kToMemory ? Flow::kFromMemory : Flow::kToMemory; }

class Crossings {
 public:
  explicit Crossings(const Machine& machine) : machine_(machine) {}

  // One half of a transfer: between a NIC and memory of this machine.
  void AddHalf(const Nic& nic, const MemoryPlace& place, Direction direction) {
    const Flow flow = direction == Direction::kToMemory ? Flow::kToMemory : Flow::kFromMemory;
    Add({Kind::kNic, Flow::kEither, nic.name});
    const Gpu* gpu = place.is_gpu() ? machine_.FindGpu(place.gpu) : nullptr;
    AddWay(nic, place, gpu, flow);
    if (place.is_host()) Add({Kind::kNodeMemory, flow, place.ToString()});
    if (place.is_gpu()) Add({Kind::kGpuLink, flow, place.gpu.ToString()});
  }

  void Add(Resource resource, bool certain = true) {
    const bool known = std::any_of(all_.begin(), all_.end(), [&](const Crossing& crossing) {
      return crossing.resource == resource;
    });
    if (!known) all_.push_back({std::move(resource), certain});
  }

  std::vector<Crossing> Take() { return std::move(all_); }

 private:
  // What lies between the NIC and the memory.
  void AddWay(const Nic& nic, const MemoryPlace& place, const Gpu* gpu, Flow flow) {
    if (machine_.flat) return;
    switch (RelationOf(machine_, nic, place).relation) {
      case Relation::kSameSwitch:
        Add(Uplink(nic.position, flow), false);
        return;
      case Relation::kSameHostBridge:
      case Relation::kSameNumaNode:
      case Relation::kOtherNumaNode:
        break;
      case Relation::kUnknown:
        return;
    }
    if (HasUplink(nic.position)) Add(Uplink(nic.position, flow));
    // Out of its switch the data goes as it comes into the NIC's.
    if (gpu != nullptr && HasUplink(gpu->position)) Add(Uplink(gpu->position, Opposite(flow)));
    const auto from = nic.position.numa_node;
    const auto to = gpu != nullptr ? gpu->position.numa_node : std::optional(place.numa_node);
    if (!from || !to || *from == *to) return;
    const bool in = flow == Flow::kToMemory;
    Add({Kind::kNodeLink, Flow::kEither,
         fmt::format("numa{} to numa{}", in ? *from : *to, in ? *to : *from)});
  }

  static bool HasUplink(const PciPosition& position) {
    return !position.bridges.empty() || !position.host_bridge.empty();
  }
  static Resource Uplink(const PciPosition& position, Flow flow) {
    if (!position.bridges.empty()) {
      return {Kind::kUplink, flow, position.bridges.front().ToString()};
    }
    return {Kind::kHostBridge, flow, position.host_bridge};
  }

  const Machine& machine_;
  std::vector<Crossing> all_;
};

}  // namespace

std::string Resource::ToString() const {
  switch (kind) {
    case Kind::kNic:
      return fmt::format("the NIC {}", name);
    case Kind::kUplink:
      return fmt::format("the uplink of switch {}", name);
    case Kind::kHostBridge:
      return fmt::format("the host bridge {}", name);
    case Kind::kNodeLink:
      return fmt::format("the link from {}", name);
    case Kind::kNodeMemory:
      return fmt::format("the memory of {}", name);
    case Kind::kGpuLink:
      return fmt::format("the link of the GPU at {}", name);
    case Kind::kInterconnect:
      return fmt::format("the interconnect with id {}", name);
    case Kind::kOtherHost:
      break;
  }
  return fmt::format("something at {}", name);
}

std::vector<Crossing> CrossingsOf(const Machine& machine, const Sample& sample) {
  Crossings crossings(machine);
  const Cell& cell = sample.cell;
  if (const Nic* nic = machine.FindNic(cell.nic.address)) {
    crossings.AddHalf(*nic, cell.place, cell.direction);
  }
  if (sample.interconnect_id) {
    crossings.Add({Kind::kInterconnect, Flow::kEither, std::to_string(*sample.interconnect_id)},
                  false);
  }
  if (sample.peer != "loopback") {
    crossings.Add({Kind::kOtherHost, Flow::kEither, sample.peer}, false);
  } else if (const Nic* partner = machine.FindNic(sample.partner.address)) {
    crossings.AddHalf(
        *partner, sample.partner_place,
        cell.direction == Direction::kToMemory ? Direction::kFromMemory : Direction::kToMemory);
  }
  return crossings.Take();
}

}  // namespace railgauge
