#include "lib/placement/ceilings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "fmt/core.h"
#include "lib/instance_types/instance_types.h"
#include "lib/record/enum_names.h"

namespace railgauge {
namespace {

using Basis = Ceiling::Basis;

constexpr std::array<std::string_view, 5> kBases = {"published", "assumed", "port", "pci_link",
                                                    "reported"};

std::string NameOf(const Nic& nic) {
  return nic.name.empty() ? nic.position.address.ToString() : nic.name;
}

// The line rate of the NIC: the type's, or what its port says where that is more, since a newer NIC
// may be in it (as LineRate of lib/measure).
std::optional<Ceiling> LineRateOf(const Nic& nic, const InstanceType* type) {
  Ceiling ceiling{"the line rate of " + NameOf(nic), {}, Basis::kPort};
  if (type != nullptr && type->line_rate) {
    ceiling.capacity = type->line_rate->value;
    ceiling.basis = type->line_rate->certain() ? Basis::kPublished : Basis::kAssumed;
  }
  if (nic.port_rate) ceiling.capacity = std::max(ceiling.capacity, *nic.port_rate);
  if (ceiling.capacity.value <= 0) return std::nullopt;
  return ceiling;
}

// One node's share of what others reached with host memory.
std::optional<Ceiling> ReportedOfNode(const Machine& machine, const std::string& node,
                                      Operation operation, const InstanceType* type) {
  const auto nodes =
      std::count_if(machine.numa_nodes.begin(), machine.numa_nodes.end(),
                    [](const NumaNode& one) { return one.memory.count > 0 && !one.cpus.empty(); });
  if (type == nullptr || nodes == 0) return std::nullopt;
  for (const ReportedThroughput& reported : type->reported) {
    if (reported.memory != MemoryPlace::Kind::kNumaNode || reported.operation != operation) {
      continue;
    }
    return Ceiling{"the memory of " + node,
                   {reported.throughput.value / static_cast<double>(nodes)},
                   Basis::kReported};
  }
  return std::nullopt;
}

// All that is known of one resource, for the operation.
std::vector<Ceiling> CeilingsOf(const Machine& machine, const Resource& resource,
                                Operation operation) {
  const InstanceType* type = FindInstanceType(machine.instance_type);
  std::vector<Ceiling> ceilings;
  const auto add = [&](std::optional<Ceiling> ceiling) {
    if (ceiling) ceilings.push_back(*std::move(ceiling));
  };
  switch (resource.kind) {
    case Resource::Kind::kNic: {
      for (const Nic& nic : machine.nics) {
        if (nic.name != resource.name) continue;
        add(LineRateOf(nic, type));
        if (nic.position.link_speed) {
          add(Ceiling{"the PCI link of " + NameOf(nic), *nic.position.link_speed, Basis::kPciLink});
        }
        break;
      }
      break;
    }
    case Resource::Kind::kUplink: {
      const auto address = PciAddress::Parse(resource.name);
      const PciBridge* bridge = address ? machine.FindBridge(*address) : nullptr;
      if (bridge != nullptr && bridge->link_speed) {
        add(Ceiling{resource.ToString(), *bridge->link_speed, Basis::kPciLink});
      }
      break;
    }
    case Resource::Kind::kNodeMemory:
      add(ReportedOfNode(machine, resource.name, operation, type));
      break;
    case Resource::Kind::kHostBridge:
    case Resource::Kind::kNodeLink:
    case Resource::Kind::kGpuLink:
    case Resource::Kind::kInterconnect:
    case Resource::Kind::kOtherHost:
      break;  // nobody says
  }
  return ceilings;
}

}  // namespace

std::string_view ToString(Ceiling::Basis basis) { return NameOf(kBases, basis); }

std::vector<CrossedResource> CrossedResourcesOf(const Machine& machine, const Sample& sample) {
  std::vector<Crossing> crossings = CrossingsOf(machine, sample);
  std::stable_sort(crossings.begin(), crossings.end(), [](const Crossing& a, const Crossing& b) {
    return a.resource.kind < b.resource.kind;
  });
  std::vector<CrossedResource> crossed;
  for (Crossing& crossing : crossings) {
    std::vector<Ceiling> ceilings = CeilingsOf(machine, crossing.resource, sample.cell.operation);
    crossed.push_back({std::move(crossing), std::move(ceilings)});
  }
  return crossed;
}

std::vector<Ceiling> CeilingsOf(const Machine& machine, const Sample& sample) {
  std::vector<Ceiling> ceilings;
  for (const CrossedResource& crossed : CrossedResourcesOf(machine, sample)) {
    if (!crossed.crossing.certain) continue;
    ceilings.insert(ceilings.end(), crossed.ceilings.begin(), crossed.ceilings.end());
  }
  return ceilings;
}

std::optional<Ceiling> BindingCeiling(std::span<const Ceiling> ceilings) {
  const Ceiling* best = nullptr;
  for (const Ceiling& ceiling : ceilings) {
    if (ceiling.basis == Basis::kPciLink || ceiling.basis == Basis::kReported) continue;
    const bool better = best == nullptr || ceiling.basis < best->basis ||
                        (ceiling.basis == best->basis && ceiling.capacity < best->capacity);
    if (better) best = &ceiling;
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

// Line rates alone bind, and that half crosses one.
std::optional<Ceiling> BindingCeiling(const Machine& machine, const Cell& cell) {
  const Nic* nic = machine.FindNic(cell.nic.address);
  return nic == nullptr ? std::nullopt : LineRateOf(*nic, FindInstanceType(machine.instance_type));
}

std::string CeilingPhrase(const Machine& machine, const MeasuredCell& cell) {
  Sample sample;
  sample.cell = cell.cell;
  const std::vector<Ceiling> ceilings = CeilingsOf(machine, sample);
  const auto binding = BindingCeiling(ceilings);
  if (!binding || !cell.median) return "";
  std::string phrase = fmt::format(
      "{:.0f} % of {} ({}, {})", 100 * *cell.median / binding->capacity.value, binding->resource,
      FormatBytesPerSecond(binding->capacity), ToString(binding->basis));
  for (const Ceiling& ceiling : ceilings) {
    const bool own_link = ceiling.resource.starts_with("the PCI link of");
    if (!own_link || ceiling.capacity >= binding->capacity) continue;
    phrase +=
        fmt::format("; {} shows {} only", ceiling.resource, FormatBytesPerSecond(ceiling.capacity));
  }
  return phrase;
}

}  // namespace railgauge
