#include "lib/scenario/paths.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "fmt/core.h"
#include "lib/scenario/selector.h"

namespace railgauge {
namespace {

constexpr BytesPerSecond kUnlimited{std::numeric_limits<double>::infinity()};

// Data moves two ways through everything shared; [0] as the first key of the YAML says.
struct TwoWay {
  BytesPerSecond first, second;
};

BytesPerSecond ReadLimit(const YamlMap& map, std::string_view key, std::string_view no_limit,
                         YamlErrors* errors) {
  const YamlNode& node = map.Required(key);
  return node.scalar == no_limit ? kUnlimited : ReadRate(node, key, errors);
}

struct SharedCapacities {
  TwoWay uplink;       // up: towards memory; down
  TwoWay gpu_link;     // in: towards the GPU; out
  TwoWay numa_memory;  // write; read
  BytesPerSecond numa_link;
};

TwoWay ReadTwoWay(const YamlMap& all, std::string_view name, std::string_view first,
                  std::string_view second, YamlErrors* errors) {
  const YamlMap map(all.Required(name), std::string(name), {first, second}, errors);
  return {ReadLimit(map, first, "unlimited", errors), ReadLimit(map, second, "unlimited", errors)};
}

SharedCapacities ReadShared(const YamlNode& node, YamlErrors* errors) {
  const YamlMap map(node, "shared_capacities", {"uplink", "gpu_link", "numa_memory", "numa_link"},
                    errors);
  return {ReadTwoWay(map, "uplink", "up", "down", errors),
          ReadTwoWay(map, "gpu_link", "in", "out", errors),
          ReadTwoWay(map, "numa_memory", "write", "read", errors),
          ReadLimit(map, "numa_link", "unlimited", errors)};
}

// What the rules say of one (NIC, place), by direction; kUnlimited is the line rate.
using PairLimits = std::array<std::optional<BytesPerSecond>, 2>;

std::map<EmulatedMachine::NicPlace, PairLimits> ReadRules(const YamlNode& node,
                                                          const PciLocations& locations,
                                                          const EmulatedMachine& machine,
                                                          YamlErrors* errors) {
  std::map<EmulatedMachine::NicPlace, PairLimits> limits;
  for (const YamlNode& item : ReadList(node, "paths", errors)) {
    const YamlMap rule(item, "a path rule",
                       {"nics", "places", "relation", "to_memory", "from_memory"}, errors);
    PairLimits given;
    for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
      if (rule.Optional(ToString(direction)) == nullptr) continue;
      given[static_cast<size_t>(direction)] =
          ReadLimit(rule, ToString(direction), "line_rate", errors);
    }
    if (!given[0] && !given[1]) {
      errors->Add(rule.line(), "a path rule has neither to_memory nor from_memory",
                  "Add one, or remove the rule");
    }
    for (const auto& pair : SelectNicPlaces(rule, machine, locations, errors)) {
      for (size_t i = 0; i < given.size(); ++i) {
        if (given[i]) limits[pair][i] = given[i];
      }
    }
    if (!errors->ok()) break;
  }
  return limits;
}

class PathBuilder {
 public:
  PathBuilder(const SharedCapacities& shared, const PciLocations& locations,
              EmulatedMachine* machine)
      : shared_(shared), locations_(locations), machine_(machine) {}

  EmulatedPath Build(const EmulatedNic& nic, const MemoryPlace& place, Direction direction,
                     BytesPerSecond limit) {
    const bool to_memory = direction == Direction::kToMemory;
    const PciLocation& from = locations_.Of(nic.address);
    EmulatedPath path;
    path.capacity = kUnlimited;
    Cross(&path, fmt::format("nic:{}:{}", nic.address.ToString(), to_memory ? "rx" : "tx"),
          nic.line_rate);
    if (limit < nic.line_rate) {
      Cross(&path,
            fmt::format("path:{}:{}:{}", nic.address.ToString(), place.ToString(),
                        ToString(direction)),
            limit);
    }
    const bool below_uplink = place.is_gpu() && locations_.Of(place.gpu).Uplink() == from.Uplink();
    if (!below_uplink) CrossUplink(&path, from, to_memory);
    if (place.is_gpu()) {
      const PciLocation& to = locations_.Of(place.gpu);
      if (!below_uplink) {
        CrossNumaLink(&path, from.numa_node, to.numa_node, to_memory);
        CrossUplink(&path, to, !to_memory);
      }
      Cross(&path, fmt::format("{}:{}", place.ToString(), to_memory ? "in" : "out"),
            to_memory ? shared_.gpu_link.first : shared_.gpu_link.second);
    } else {
      CrossNumaLink(&path, from.numa_node, place.numa_node, to_memory);
      Cross(&path, fmt::format("{}:{}", place.ToString(), to_memory ? "write" : "read"),
            to_memory ? shared_.numa_memory.first : shared_.numa_memory.second);
    }
    return path;
  }

 private:
  void Cross(EmulatedPath* path, const std::string& name, BytesPerSecond capacity) {
    if (capacity == kUnlimited) return;
    const auto [found, is_new] =
        indexes_.emplace(name, static_cast<uint32_t>(machine_->resources.size()));
    if (is_new) machine_->resources.push_back({name, capacity});
    path->resources.push_back(found->second);
    path->capacity = std::min(path->capacity, capacity);
  }

  void CrossUplink(EmulatedPath* path, const PciLocation& location, bool up) {
    Cross(path, fmt::format("uplink:{}:{}", location.Uplink(), up ? "up" : "down"),
          up ? shared_.uplink.first : shared_.uplink.second);
  }

  void CrossNumaLink(EmulatedPath* path, std::optional<uint32_t> nic, std::optional<uint32_t> place,
                     bool to_memory) {
    if (!nic || !place || *nic == *place) return;
    if (!to_memory) std::swap(nic, place);
    Cross(path, fmt::format("numa{}->numa{}", *nic, *place), shared_.numa_link);
  }

  const SharedCapacities& shared_;
  const PciLocations& locations_;
  EmulatedMachine* machine_;
  std::map<std::string, uint32_t> indexes_;
};

}  // namespace

void ReadPaths(const YamlNode& shared_capacities, const YamlNode& paths,
               const PciLocations& locations, EmulatedMachine* machine, YamlErrors* errors) {
  const SharedCapacities shared = ReadShared(shared_capacities, errors);
  const auto limits = ReadRules(paths, locations, *machine, errors);
  if (!errors->ok()) return;
  PathBuilder builder(shared, locations, machine);
  for (const EmulatedNic& nic : machine->nics) {
    for (const MemoryPlace& place : machine->Places()) {
      for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
        const auto pair = limits.find({nic.address, place});
        const auto limit =
            pair == limits.end() ? std::nullopt : pair->second[static_cast<size_t>(direction)];
        if (!limit) {
          errors->Add(paths.line,
                      fmt::format("no rule gives the {} capacity of {} and {} ({})",
                                  ToString(direction), nic.name, place.ToString(),
                                  ToString(locations.RelationOf(nic.address, place))),
                      "Add one to paths");
          return;
        }
        machine->paths[{nic.address, place}][static_cast<size_t>(direction)] =
            builder.Build(nic, place, direction, *limit);
      }
    }
  }
}

}  // namespace railgauge
