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
  for (const MeasuredCell& cell : table_.cells()) {
    believed_.push_back(cell.measured() ? BelievedSpeed(cell, classes_, gates_) : SpeedRange());
  }
  budget_ = FalseDiscovery(PValues());
}

const SpeedRange& Evidence::Believed(const MeasuredCell& cell) const {
  return believed_[static_cast<size_t>(&cell - table_.cells().data())];
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

Evidence::Claim Evidence::ExchangeGains(const MemoryPlace& consumer, const PciAddress& chosen,
                                        const PciAddress& rival, const Dimension& dimension) const {
  double now = 0, then = 0;
  SpeedRange believed_now, believed_then;
  const auto add = [&](const MemoryPlace& place, const PciAddress& has, const PciAddress& gets) {
    const MeasuredCell* before = table_.Find(has, place, dimension);
    const MeasuredCell* after = table_.Find(gets, place, dimension);
    if (before == nullptr || after == nullptr || !before->measured() || !after->measured()) {
      return false;
    }
    now += *before->median;
    then += *after->median;
    believed_now = believed_now + Believed(*before);
    believed_then = believed_then + Believed(*after);
    return true;
  };
  if (!add(consumer, chosen, rival)) return {};
  for (const MemoryPlace& user : Users(rival)) {
    if (!add(user, rival, chosen)) return {};
  }
  const double limit = 1 - gates_.bad_placement;
  const bool likely = now < limit * then;
  return {likely, Less(believed_now, limit * believed_then, likely)};
}

Evidence::Claim Evidence::Worse(const MeasuredCell& cell, const MeasuredCell& other) const {
  const double limit = 1 - gates_.bad_placement;
  const bool likely = *cell.median < limit * *other.median;
  const SpeedRange& own = Believed(cell);
  const SpeedRange bound = limit * Believed(other);
  const bool overlap = own.high >= bound.low && own.low < bound.high;
  if (overlap && cell.windows.size() >= gates_.min_rounds &&
      other.windows.size() >= gates_.min_rounds) {
    const Outcome outcome = railgauge::Compare(cell, other, gates_.bad_placement, gates_).outcome;
    if (outcome == Outcome::kWorse) return {true, Sure::kYes};
    if (outcome == Outcome::kNotWorse || outcome == Outcome::kDiffers) return {false, Sure::kNo};
  }
  return {likely, Less(own, bound, likely)};
}

Evidence::Claim Evidence::WorseSomewhere(const MemoryPlace& consumer, const PciAddress& chosen,
                                         const PciAddress& rival,
                                         const std::vector<Dimension>& dimensions) const {
  Claim worst;
  for (const Dimension& dimension : dimensions) {
    const MeasuredCell* now = table_.Find(chosen, consumer, dimension);
    const MeasuredCell* then = table_.Find(rival, consumer, dimension);
    if (now == nullptr || then == nullptr || !now->measured() || !then->measured()) {
      return {true, Sure::kYes};
    }
    const Claim claim = Worse(*then, *now);
    if (claim.sure == Sure::kYes) return {true, Sure::kYes};
    worst.likely |= claim.likely;
    if (claim.sure == Sure::kUnsure) worst.sure = Sure::kUnsure;
  }
  return worst;
}

std::vector<Rival> Evidence::RivalsOf(const Assignment& assignment, const PciAddress& chosen,
                                      const Dimension& dimension) const {
  const MemoryPlace& consumer = assignment.consumer;
  const std::vector<Dimension> dimensions = JudgedDimensions(assignment);
  std::vector<Rival> rivals;
  // Free, likely free, hardly free, not free.
  const auto tier = [](const Rival& rival) {
    const bool sure = rival.reserve == Reserve::kNone;
    return static_cast<size_t>(rival.free ? (sure ? 0 : 1) : sure ? 3 : 2);
  };
  double fastest[4] = {0, 0, 0, 0};
  for (const Nic& nic : machine_.nics) {
    const PciAddress& address = nic.position.address;
    const std::vector<MemoryPlace>& users = Users(address);
    if (std::find(users.begin(), users.end(), consumer) != users.end()) continue;
    const MeasuredCell* cell = table_.Find(address, consumer, dimension);
    if (cell == nullptr || !cell->measured()) continue;
    const Claim worse = WorseSomewhere(consumer, chosen, address, dimensions);
    if (worse.sure == Sure::kYes) continue;
    const bool idle = users.empty();
    const Claim gains =
        idle ? Claim{true, Sure::kYes} : ExchangeGains(consumer, chosen, address, dimension);
    Rival rival{cell, gains.likely && !worse.likely, idle, Reserve::kNone};
    if (gains.sure != Sure::kNo && worse.sure == Sure::kUnsure) {
      rival.reserve = Reserve::kOtherDimension;
    } else if (gains.sure == Sure::kUnsure) {
      rival.reserve = Reserve::kExchange;
    }
    fastest[tier(rival)] = std::max(fastest[tier(rival)], *cell->median);
    rivals.push_back(rival);
  }
  const auto order = [&](const Rival& rival) {
    const double best = fastest[tier(rival)];
    const double median = *rival.cell->median;
    const PciAddress& address = rival.cell->cell.nic.address;
    return std::tuple(tier(rival), median >= (1 - gates_.differs) * best ? -best : -median,
                      !rival.idle, relations_.Of(address, consumer), address);
  };
  std::sort(rivals.begin(), rivals.end(),
            [&](const Rival& a, const Rival& b) { return order(a) < order(b); });
  return rivals;
}

}  // namespace railgauge
