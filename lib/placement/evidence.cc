#include "lib/placement/evidence.h"

#include <algorithm>
#include <tuple>

namespace railgauge {

Evidence::Evidence(const Machine& machine, std::span<const CensusRow> census,
                   std::span<const Sample> samples, const Decision& decision,
                   const JudgeGates& gates)
    : machine_(machine),
      decision_(decision),
      gates_(gates),
      table_(samples),
      relations_(census),
      classes_(table_, relations_, gates),
      findings_(classes_, gates) {
  for (const Assignment& assignment : decision.assignments) {
    for (const NicKey& nic : assignment.nics) users_[nic.address].push_back(assignment.consumer);
  }
  budget_ = FalseDiscovery(PValues());
}

std::vector<double> Evidence::PValues() const {
  std::vector<double> p_values;
  const auto add = [&](const Comparison& comparison) {
    if (comparison.p_value) p_values.push_back(*comparison.p_value);
  };
  for (const Assignment& assignment : decision_.assignments) {
    for (const NicKey& nic : assignment.nics) {
      for (const Dimension& dimension : kDimensions) {
        const MeasuredCell* cell = table_.Find(nic.address, assignment.consumer, dimension);
        if (cell == nullptr || !cell->measured()) continue;
        for (const Rival& rival : RivalsOf(assignment, nic.address, dimension)) {
          add(railgauge::Compare(*cell, *rival.cell, gates_.bad_placement, gates_));
        }
      }
    }
  }
  for (const MeasuredCell& cell : table_.cells()) {
    const auto standing = classes_.Of(cell);
    if (standing && standing->suspect) add(classes_.CompareWithClass(cell));
  }
  return p_values;
}

Comparison Evidence::Compare(const MeasuredCell& cell, const MeasuredCell& other,
                             double margin) const {
  return AmongMany(railgauge::Compare(cell, other, margin, gates_), budget_, gates_);
}

Comparison Evidence::CompareWithClass(const MeasuredCell& cell) const {
  return AmongMany(classes_.CompareWithClass(cell), budget_, gates_);
}

const std::vector<MemoryPlace>& Evidence::Users(const PciAddress& nic) const {
  static const std::vector<MemoryPlace> kNobody;
  const auto entry = users_.find(nic);
  return entry == users_.end() ? kNobody : entry->second;
}

std::vector<Dimension> Evidence::JudgedDimensions(const Assignment& assignment) const {
  std::vector<Dimension> dimensions;
  for (const Dimension& dimension : kDimensions) {
    const bool all = std::all_of(assignment.nics.begin(), assignment.nics.end(), [&](auto& nic) {
      return table_.Throughput(nic.address, assignment.consumer, dimension).has_value();
    });
    if (all) dimensions.push_back(dimension);
  }
  return dimensions;
}

std::optional<double> Evidence::Worst(const PciAddress& nic, const MemoryPlace& place,
                                      const std::vector<Dimension>& dimensions) const {
  std::optional<double> worst;
  for (const Dimension& dimension : dimensions) {
    const std::optional<double> value = table_.Throughput(nic, place, dimension);
    if (!value) return std::nullopt;
    if (!worst || *value < *worst) worst = value;
  }
  return worst;
}

bool Evidence::ExchangeGains(const MemoryPlace& consumer, const PciAddress& chosen,
                             const PciAddress& rival, const Dimension& dimension) const {
  const auto here_now = table_.Throughput(chosen, consumer, dimension);
  const auto here_then = table_.Throughput(rival, consumer, dimension);
  if (!here_now || !here_then) return false;
  double now = *here_now, then = *here_then;
  for (const MemoryPlace& user : Users(rival)) {
    const auto there_now = table_.Throughput(rival, user, dimension);
    const auto there_then = table_.Throughput(chosen, user, dimension);
    if (!there_now || !there_then) return false;
    now += *there_now;
    then += *there_then;
  }
  return now < (1 - gates_.bad_placement) * then;
}

bool Evidence::WorseSomewhere(const MemoryPlace& consumer, const PciAddress& chosen,
                              const PciAddress& rival,
                              const std::vector<Dimension>& dimensions) const {
  return std::any_of(dimensions.begin(), dimensions.end(), [&](const Dimension& dimension) {
    const auto now = table_.Throughput(chosen, consumer, dimension);
    const auto then = table_.Throughput(rival, consumer, dimension);
    return !now || !then || *then < (1 - gates_.bad_placement) * *now;
  });
}

std::vector<Rival> Evidence::RivalsOf(const Assignment& assignment, const PciAddress& chosen,
                                      const Dimension& dimension) const {
  const MemoryPlace& consumer = assignment.consumer;
  const std::vector<Dimension> dimensions = JudgedDimensions(assignment);
  std::vector<Rival> rivals;
  double fastest[2] = {0, 0};  // of the rivals that are not free, and of those that are
  for (const Nic& nic : machine_.nics) {
    const PciAddress& address = nic.position.address;
    const std::vector<MemoryPlace>& users = Users(address);
    if (std::find(users.begin(), users.end(), consumer) != users.end()) continue;
    const MeasuredCell* cell = table_.Find(address, consumer, dimension);
    if (cell == nullptr || !cell->measured()) continue;
    if (WorseSomewhere(consumer, chosen, address, dimensions)) continue;
    const bool idle = users.empty();
    const bool free = idle || ExchangeGains(consumer, chosen, address, dimension);
    rivals.push_back({cell, free, idle});
    fastest[free] = std::max(fastest[free], *cell->median);
  }
  const auto order = [&](const Rival& rival) {
    const double best = fastest[rival.free];
    const double median = *rival.cell->median;
    const PciAddress& address = rival.cell->cell.nic.address;
    return std::tuple(!rival.free, median >= (1 - gates_.differs) * best ? -best : -median,
                      !rival.idle, relations_.Of(address, consumer), address);
  };
  std::sort(rivals.begin(), rivals.end(),
            [&](const Rival& a, const Rival& b) { return order(a) < order(b); });
  return rivals;
}

}  // namespace railgauge
