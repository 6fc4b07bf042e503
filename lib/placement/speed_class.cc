#include "lib/placement/speed_class.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "lib/stats/median.h"
#include "lib/stats/median_interval.h"
#include "lib/stats/outlier.h"

namespace railgauge {

Relations::Relations(std::span<const CensusRow> census) {
  for (const CensusRow& row : census) {
    const auto [entry, fresh] = relations_.try_emplace({row.nic.address, row.place}, row.relation);
    // Where rows differ, the nearest, whatever their order.
    if (!fresh) entry->second = std::min(entry->second, row.relation);
  }
}

Relation Relations::Of(const PciAddress& nic, const MemoryPlace& place) const {
  const auto entry = relations_.find({nic, place});
  return entry == relations_.end() ? Relation::kUnknown : entry->second;
}

SpeedClasses::SpeedClasses(const CellTable& table, const Relations& relations,
                           const JudgeGates& gates)
    : relations_(relations), gates_(gates) {
  for (const MeasuredCell& cell : table.cells()) {
    const Dimension dimension{cell.cell.operation, cell.cell.direction};
    // One voice per NIC and place.
    if (!cell.measured() ||
        table.Find(cell.cell.nic.address, cell.cell.place, dimension) != &cell) {
      continue;
    }
    classes_[KeyOf(cell)].members.push_back(&cell);
  }
  for (auto& [key, one] : classes_) {
    HoldAgainst(one.members, one);
    const bool equals = std::get<Relation>(key) != Relation::kUnknown;
    if (!equals || one.members.size() < gates_.min_class_size) continue;
    const std::vector<const MeasuredCell*> apart = ApartFromASlowNic(one);
    if (!apart.empty()) HoldAgainst(apart, one);
  }
  std::vector<double> p_values;
  for (const auto& [key, one] : classes_) {
    if (one.members.size() < gates_.min_class_size) continue;
    for (const MeasuredCell* cell : one.members) {
      p_values.push_back(OutlierPValue(ZOf(*cell, one), one.held_against));
    }
  }
  screening_ = FalseDiscovery(std::move(p_values));
}

void SpeedClasses::HoldAgainst(const std::vector<const MeasuredCell*>& cells, Class& one) const {
  std::vector<double> medians;
  for (const MeasuredCell* cell : cells) medians.push_back(*cell->median);
  one.held_against = cells.size();
  one.median = *Median(medians);
  one.mad = *MedianAbsoluteDeviation(medians);
}

std::vector<const MeasuredCell*> SpeedClasses::ApartFromASlowNic(const Class& one) const {
  std::set<PciAddress> ends;
  for (const MeasuredCell* cell : one.members) {
    if (!cell->partner) return {};  // at a peer, only its own NIC slows a cell down
    ends.insert({cell->cell.nic.address, cell->partner->address});
  }
  std::vector<const MeasuredCell*> best;
  for (const PciAddress& nic : ends) {
    std::vector<const MeasuredCell*> apart;
    std::vector<double> of_nic, of_others;
    for (const MeasuredCell* cell : one.members) {
      const bool passes = cell->cell.nic.address == nic || cell->partner->address == nic;
      (passes ? of_nic : of_others).push_back(*cell->median);
      if (!passes) apart.push_back(cell);
    }
    // Where the others are more, the median is theirs anyway; one alone proves nothing.
    if (apart.size() < 2 || of_nic.size() < apart.size() || apart.size() <= best.size()) continue;
    const double fastest = *std::max_element(of_nic.begin(), of_nic.end());
    const double slowest = *std::min_element(of_others.begin(), of_others.end());
    if (fastest < (1 - gates_.differs) * slowest &&
        *Median(of_nic) < (1 - gates_.bad_placement) * *Median(of_others)) {
      best = std::move(apart);
    }
  }
  return best;
}

double SpeedClasses::ZOf(const MeasuredCell& cell, const Class& one) const {
  return RobustZ(*cell.median, one.median, one.mad, gates_.class_spread_floor * one.median);
}

SpeedClasses::Key SpeedClasses::KeyOf(const MeasuredCell& cell) const {
  return {relations_.Of(cell.cell.nic.address, cell.cell.place),
          cell.cell.place.kind,
          {cell.cell.operation, cell.cell.direction},
          cell.cell.size};
}

const SpeedClasses::Class* SpeedClasses::Find(const MeasuredCell& cell) const {
  const auto entry = classes_.find(KeyOf(cell));
  return entry == classes_.end() ? nullptr : &entry->second;
}

std::optional<SpeedClasses::Standing> SpeedClasses::Of(const MeasuredCell& cell) const {
  const Class* one = Find(cell);
  if (one == nullptr || !cell.measured() || one->members.size() < gates_.min_class_size) {
    return std::nullopt;
  }
  Standing standing;
  standing.members = one->held_against;
  standing.median = one->median;
  standing.mad = one->mad;
  standing.z = ZOf(cell, *one);
  standing.adjusted_p_value = screening_.Adjusted(OutlierPValue(standing.z, one->held_against));
  standing.suspect =
      standing.z <= gates_.shortlist_z && *cell.median < (1 - gates_.differs) * one->median;
  standing.looks_slow = standing.suspect &&
                        *cell.median < (1 - gates_.bad_placement) * one->median &&
                        standing.adjusted_p_value <= gates_.false_discovery;
  return standing;
}

Comparison SpeedClasses::CompareWithClass(const MeasuredCell& cell) const {
  Comparison best;
  const Class* one = Find(cell);
  if (one == nullptr || !cell.measured()) return best;
  if (one->median > 0) best.ratio = *cell.median / one->median;
  double best_distance = 0;
  for (const MeasuredCell* member : one->members) {
    if (member->cell.nic.address == cell.cell.nic.address) continue;
    const Comparison comparison = Compare(cell, *member, gates_.differs, gates_);
    const double distance = std::abs(*member->median - one->median);
    if (comparison.outcome == Outcome::kUnproven) continue;
    if (best.outcome != Outcome::kUnproven && distance >= best_distance) continue;
    best = comparison;
    best_distance = distance;
  }
  if (best.outcome != Outcome::kUnproven) return best;
  // Its own windows prove nothing about others, but they may show that it has no one speed.
  const auto own = IntervalOfMedian(cell.Values(), gates_.confidence);
  if (own && own->interval.high >= (1 - gates_.differs) * one->median &&
      own->interval.high - own->interval.low > gates_.noisy_width * one->median) {
    best.outcome = Outcome::kNoisy;
    best.interval = MedianInterval{
        {own->interval.low / one->median, own->interval.high / one->median}, own->confidence};
    best.rounds = cell.windows.size();
  }
  return best;
}

std::span<const MeasuredCell* const> SpeedClasses::MembersOf(const MeasuredCell& cell) const {
  const Class* one = Find(cell);
  return one == nullptr ? std::span<const MeasuredCell* const>() : one->members;
}

std::vector<std::span<const MeasuredCell* const>> SpeedClasses::All() const {
  std::vector<std::span<const MeasuredCell* const>> all;
  for (const auto& [key, one] : classes_) {
    if (one.members.size() >= gates_.min_class_size) all.emplace_back(one.members);
  }
  return all;
}

const MeasuredCell* SpeedClasses::PeerOf(const MeasuredCell& cell) const {
  const Class* one = Find(cell);
  if (one == nullptr) return nullptr;
  const MeasuredCell* peer = nullptr;
  const auto preference = [&](const MeasuredCell& member) {
    return std::pair(member.cell.place != cell.cell.place, std::abs(*member.median - one->median));
  };
  for (const MeasuredCell* member : one->members) {
    if (member->cell.nic.address == cell.cell.nic.address) continue;
    if (peer == nullptr || preference(*member) < preference(*peer)) peer = member;
  }
  return peer;
}

}  // namespace railgauge
