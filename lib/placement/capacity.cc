#include "lib/placement/capacity.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "fmt/core.h"

namespace railgauge {
namespace {

// The resources of a machine by the words of groups.csv, without their flow.
std::map<std::string, Resource> ResourcesByName(const Machine& machine) {
  std::map<std::string, Resource> resources;
  for (const Nic& nic : machine.nics) {
    for (const MemoryPlace& place : machine.Places()) {
      for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
        for (Resource& resource : CertainCrossings(machine, nic.key(), place, direction)) {
          resource.flow = Resource::Flow::kEither;
          resources.emplace(resource.ToString(), std::move(resource));
        }
      }
    }
  }
  return resources;
}

// The one thing that the words name; a link is named once for each flow. Empty for several things.
std::string OneNameIn(std::string_view words) {
  constexpr std::string_view kOr = " or ";
  std::set<std::string> names;
  while (!words.empty()) {
    const size_t end = words.find(kOr);
    names.emplace(words.substr(0, end));
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + kOr.size());
  }
  return names.size() == 1 ? *names.begin() : "";
}

}  // namespace

std::vector<Resource> CertainCrossings(const Machine& machine, const NicKey& nic,
                                       const MemoryPlace& place, Direction direction) {
  Sample sample;
  sample.cell.nic = nic;
  sample.cell.place = place;
  sample.cell.direction = direction;
  sample.peer = "another host";  // whose side is not asked for
  std::vector<Resource> crossed;
  for (Crossing& crossing : CrossingsOf(machine, sample)) {
    if (crossing.certain) crossed.push_back(std::move(crossing.resource));
  }
  return crossed;
}

bool Bounds(const KnownCapacity& capacity, const std::vector<Resource>& crossed,
            const Dimension& dimension) {
  if (capacity.dimension && *capacity.dimension != dimension) return false;
  return std::any_of(crossed.begin(), crossed.end(), [&](const Resource& resource) {
    return resource.kind == capacity.resource.kind && resource.name == capacity.resource.name &&
           (capacity.resource.flow == Resource::Flow::kEither ||
            capacity.resource.flow == resource.flow);
  });
}

std::vector<KnownCapacity> MeasuredCapacities(const Machine& machine,
                                              std::span<const GroupRow> groups) {
  const std::map<std::string, Resource> resources = ResourcesByName(machine);
  std::map<std::pair<Resource, Dimension>, KnownCapacity> known;
  for (const GroupRow& row : groups) {
    if (row.sharing != Sharing::kSlowed || !row.direction || !row.throughput_sum) continue;
    const auto resource = resources.find(OneNameIn(row.resource));
    if (resource == resources.end()) continue;
    const Dimension dimension = {row.operation, *row.direction};
    KnownCapacity& capacity = known[{resource->second, dimension}];
    if (capacity.rate.value >= row.throughput_sum->value) continue;
    capacity = {resource->second, dimension, *row.throughput_sum,
                fmt::format("measured by group {}", row.load)};
  }
  std::vector<KnownCapacity> list;
  for (auto& [key, capacity] : known) list.push_back(std::move(capacity));
  return list;
}

}  // namespace railgauge
