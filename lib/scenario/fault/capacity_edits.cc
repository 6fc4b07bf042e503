// Edits of what paths of a machine can carry.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "fmt/core.h"
#include "lib/scenario/fault/edit.h"
#include "lib/scenario/fault/machine_parts.h"
#include "lib/scenario/location.h"

namespace railgauge {
namespace {

std::optional<uint32_t> FindResource(const EmulatedMachine& machine, const std::string& name) {
  for (uint32_t index = 0; index < machine.resources.size(); ++index) {
    if (machine.resources[index].name == name) return index;
  }
  return std::nullopt;
}

// The resource of that name, made with `capacity` when there is none, and no faster than that.
uint32_t LimitResource(EmulatedMachine* machine, const std::string& name, BytesPerSecond capacity) {
  const auto found = FindResource(*machine, name);
  if (!found) {
    machine->resources.push_back({name, capacity});
    return static_cast<uint32_t>(machine->resources.size() - 1);
  }
  BytesPerSecond& held = machine->resources[*found].capacity;
  held = std::min(held, capacity);
  return *found;
}

void Cross(EmulatedPath* path, uint32_t resource) {
  auto& all = path->resources;
  if (std::find(all.begin(), all.end(), resource) == all.end()) all.push_back(resource);
}

// What a path carries alone follows from its resources.
void SettleCapacities(EmulatedMachine* machine) {
  for (auto& [pair, directions] : machine->paths) {
    for (EmulatedPath& path : directions) {
      if (path.resources.empty()) continue;
      path.capacity = machine->resources[path.resources.front()].capacity;
      for (const uint32_t index : path.resources) {
        path.capacity = std::min(path.capacity, machine->resources[index].capacity);
      }
    }
  }
}

Status ScaleLines(const EditArguments& arguments, EmulatedMachine* machine) {
  const double by = arguments.Number("by");
  for (EmulatedNic& nic : machine->nics) {
    if (!Contains(arguments.target().nics, nic.address)) continue;
    for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
      const auto line = machine->LineOf(nic.address, direction);
      if (line) machine->resources[*line].capacity.value *= by;
    }
    nic.line_rate.value *= by;
  }
  SettleCapacities(machine);
  return {};
}

Status ScalePaths(const EditArguments& arguments, EmulatedMachine* machine) {
  const FaultTarget& target = arguments.target();
  const PciLocations locations(*machine);
  bool any = false;
  for (const PciAddress& nic : target.nics) {
    for (const MemoryPlace& place : target.places) {
      const Relation relation = locations.RelationOf(nic, place);
      if (!target.relations.empty() && !Contains(target.relations, relation)) continue;
      for (const Direction direction : target.directions) {
        EmulatedPath& path = machine->paths.at({nic, place})[static_cast<size_t>(direction)];
        const BytesPerSecond capacity{path.capacity.value * arguments.Number("by")};
        Cross(&path, LimitResource(machine,
                                   fmt::format("path:{}:{}:{}", nic.ToString(), place.ToString(),
                                               ToString(direction)),
                                   capacity));
        any = true;
      }
    }
  }
  SettleCapacities(machine);
  if (any) return {};
  return Fail(MakeError("", "", "no NIC and place of this machine lie so",
                        "Take another relation or machine"));
}

Status ScaleUplinks(const EditArguments& arguments, EmulatedMachine* machine) {
  for (const PciAddress& port : arguments.target().ports) {
    for (const char* way : {"up", "down"}) {
      const auto uplink = FindResource(*machine, fmt::format("uplink:{}:{}", port.ToString(), way));
      if (!uplink) {
        return Fail(MakeError("", "", fmt::format("{} has no capacity to scale", port.ToString()),
                              "Take a machine whose uplinks have one"));
      }
      machine->resources[*uplink].capacity.value *= arguments.Number("by");
    }
  }
  SettleCapacities(machine);
  return {};
}

// What a PCIe link carries each way: its lanes' rate less the line code (8b/10b up to 5 GT/s,
// 128b/130b above).
BytesPerSecond LinkCapacity(double gt_per_second, uint32_t lanes) {
  const double code = gt_per_second <= 5 ? 8.0 / 10 : 128.0 / 130;
  return {gt_per_second * 1e9 * code / 8 * lanes};
}

Status NarrowLinks(const EditArguments& arguments, EmulatedMachine* machine) {
  const auto lanes = static_cast<uint32_t>(arguments.Number("lanes"));
  std::vector<PciAddress> functions = arguments.target().nics;
  functions.insert(functions.end(), arguments.target().gpus.begin(), arguments.target().gpus.end());
  for (const PciAddress& address : functions) {
    EmulatedPciDevice* device = FindFunction(machine, address);
    if (device == nullptr) continue;
    if (device->link_gt_per_second <= 0 || device->link_width <= lanes) {
      return Fail(MakeError(
          "", "",
          fmt::format("the link of {} shows {} lanes", address.ToString(),
                      device->link_width == 0 ? "no" : std::to_string(device->link_width)),
          "Take a device with a wider link"));
    }
    device->link_width = lanes;
    const BytesPerSecond capacity = LinkCapacity(device->link_gt_per_second, lanes);
    const bool gpu = device->kind == EmulatedPciDevice::Kind::kGpu;
    const std::string name = (gpu ? "gpu:" : "nic:") + address.ToString();
    for (const char* way : {gpu ? ":in" : ":rx", gpu ? ":out" : ":tx"}) {
      const auto resource = FindResource(*machine, name + way);
      if (resource) {
        BytesPerSecond& held = machine->resources[*resource].capacity;
        held = std::min(held, capacity);
      }
    }
  }
  SettleCapacities(machine);
  return {};
}

// Traffic between functions below one root port crosses its uplink up and down again, and where a
// rate is given also what the root port forwards in all.
Status RedirectPeers(const EditArguments& arguments, EmulatedMachine* machine) {
  const PciLocations locations(*machine);
  for (auto& [pair, directions] : machine->paths) {
    const auto& [nic, place] = pair;
    if (!place.is_gpu() || locations.RelationOf(nic, place) != Relation::kSameSwitch) continue;
    const PciAddress& port = locations.Of(nic).bridges.front();
    if (!Contains(arguments.target().ports, port)) continue;
    const auto up = FindResource(*machine, fmt::format("uplink:{}:up", port.ToString()));
    const auto down = FindResource(*machine, fmt::format("uplink:{}:down", port.ToString()));
    const double rate = arguments.value().number;
    if (rate == 0 && (!up || !down)) {
      return Fail(MakeError("", "",
                            fmt::format("{} has no capacity that would show it", port.ToString()),
                            "Give what it forwards, like =6GB/s"));
    }
    for (EmulatedPath& path : directions) {
      if (up) Cross(&path, *up);
      if (down) Cross(&path, *down);
      if (rate > 0) {
        Cross(&path, LimitResource(machine, fmt::format("peers:{}", port.ToString()), {rate}));
      }
    }
  }
  SettleCapacities(machine);
  return {};
}

constexpr EditParameter kBy[] = {{.name = "by"}};
constexpr EditParameter kLanes[] = {{.name = "lanes"}};

constexpr EditPrimitive kCapacityEdits[] = {
    {"scale_lines", kBy, ScaleLines},      {"scale_paths", kBy, ScalePaths},
    {"scale_uplinks", kBy, ScaleUplinks},  {"narrow_links", kLanes, NarrowLinks},
    {"redirect_peers", {}, RedirectPeers},
};

}  // namespace

std::span<const EditPrimitive> CapacityEdits() { return kCapacityEdits; }

}  // namespace railgauge
