#include "lib/fleet/fleet_screen.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "lib/fleet/two_speeds.h"
#include "lib/stats/false_discovery.h"
#include "lib/stats/median.h"
#include "lib/stats/outlier.h"

namespace railgauge {
namespace {

// A normal value is below it with a chance of 6.7 %; with few members the chance is greater.
constexpr double kNotRare = -1.5;

// Of the values of a class: where it lies and how much it spreads.
struct Class {
  size_t members = 0;
  double median = 0;
  double mad = 0;
};

// `values` come back in another order.
Class ClassOf(std::vector<double>& values) {
  if (values.empty()) return {};
  Class one;
  one.members = values.size();
  one.median = MedianInPlace(values);
  for (double& value : values) value = value > one.median ? value - one.median : one.median - value;
  one.mad = MedianInPlace(values);
  return one;
}

// A class for each group of the table.
std::vector<Class> ClassesOf(const FleetTable& table) {
  std::vector<size_t> counts(table.groups().size());
  for (const FleetRun& run : table.runs()) {
    for (const FleetRun::Value& value : run.values) ++counts[value.group];
  }
  std::vector<std::vector<double>> values(counts.size());
  for (size_t i = 0; i < counts.size(); ++i) values[i].reserve(counts[i]);
  for (const FleetRun& run : table.runs()) {
    for (const FleetRun::Value& value : run.values) {
      values[value.group].push_back(static_cast<double>(value.throughput));
    }
  }
  std::vector<Class> classes;
  classes.reserve(values.size());
  for (std::vector<double>& of_group : values) {
    classes.push_back(ClassOf(of_group));
    std::vector<double>().swap(of_group);
  }
  return classes;
}

// What a part of a slot's groups has in common: a class of place in a direction, all of a class of
// place, or all of a direction.
struct PartKey {
  MachineType type;
  std::optional<std::pair<MemoryPlace::Kind, Relation>> place;
  std::optional<Direction> direction;
  friend auto operator<=>(const PartKey&, const PartKey&) = default;
};

struct Part {
  PartKey key;
  uint32_t slot = 0;
  std::vector<uint32_t> groups;
  std::vector<double> deviations;
  double deviation = 0;
};

// A part of one group would rest on a window or three, and of tens of thousands of these some are
// far off whatever the machines are.
constexpr size_t kLeastGroups = 2;

std::array<PartKey, 3> KeysOf(const FleetGroup& group) {
  const std::pair place(group.kind, group.relation);
  const MachineType type{group.instance_type, group.platform};
  return {PartKey{type, place, group.direction}, PartKey{type, place, std::nullopt},
          PartKey{type, std::nullopt, group.direction}};
}

class Screener {
 public:
  Screener(const FleetTable& table, const FleetGates& gates, FleetAnalysis& analysis)
      : table_(table), gates_(gates), analysis_(analysis), classes_(ClassesOf(table)) {}

  void ScreenSlots() {
    for (size_t i = 0; i < table_.runs().size(); ++i) {
      const size_t before = analysis_.standings.size();
      AddStandings(i);
      if (analysis_.standings.size() == before) analysis_.too_few.push_back(i);
    }
    HoldAgainstTheFaster();
    std::map<MachineType, std::vector<double>> of_type;
    for (const SlotStanding& standing : analysis_.standings) {
      if (!standing.two_speeds) of_type[TypeOf(standing)].push_back(standing.deviation);
    }
    std::map<MachineType, Class> classes;
    for (auto& [type, deviations] : of_type) classes[type] = ClassOf(deviations);
    std::vector<double> p_values;
    for (SlotStanding& standing : analysis_.standings) {
      const Class& one = classes[TypeOf(standing)];
      standing.z = RobustZ(standing.deviation, one.median, one.mad, gates_.spread_floor);
      p_values.push_back(OutlierPValue(standing.z, one.members));
    }
    const FalseDiscovery discovery(p_values);
    for (size_t i = 0; i < p_values.size(); ++i) {
      SlotStanding& standing = analysis_.standings[i];
      standing.adjusted_p = discovery.Adjusted(p_values[i]);
      const bool stands_out = standing.two_speeds || standing.adjusted_p <= gates_.false_discovery;
      standing.low = stands_out && standing.deviation <= -gates_.differs;
    }
  }

  void ScreenParts() {
    std::map<PartKey, std::vector<double>> of_key;
    ForEachPart([&](size_t run, const Part& part) {
      if (!slower_.contains({run, part.slot})) of_key[part.key].push_back(part.deviation);
    });
    std::map<PartKey, Class> classes;
    for (auto& [key, deviations] : of_key) {
      classes[key] = ClassOf(deviations);
      std::vector<double>().swap(deviations);
    }
    std::vector<float> p_values;
    ForEachPart([&](size_t, const Part& part) {
      const Class& one = classes[part.key];
      const double z = RobustZ(part.deviation, one.median, one.mad, gates_.spread_floor);
      // A chance above FleetGates::false_discovery changes no adjusted one below that, and most of
      // millions are.
      const bool rare = z < kNotRare && one.members > 0;
      const double p = rare ? OutlierPValue(z, one.members) : 1;
      p_values.push_back(static_cast<float>(p));
    });
    const FalseDiscovery discovery(std::vector<double>(p_values.begin(), p_values.end()));
    std::map<std::pair<size_t, uint32_t>, double> of_slot;
    for (const SlotStanding& standing : analysis_.standings) {
      if (standing.low) of_slot[{standing.run, standing.slot}] = standing.deviation;
    }
    size_t at = 0;
    ForEachPart([&](size_t run, const Part& part) {
      const double adjusted = discovery.Adjusted(static_cast<double>(p_values[at++]));
      const Class& one = classes[part.key];
      const double deviation = part.deviation - one.median;
      if (adjusted > gates_.false_discovery || deviation > -gates_.differs) return;
      const auto slot = of_slot.find({run, part.slot});
      if (slot != of_slot.end() && deviation > slot->second - gates_.differs) return;
      const double z = RobustZ(part.deviation, one.median, one.mad, gates_.spread_floor);
      analysis_.low_parts.push_back(
          {run, part.slot, part.groups, part.key.direction, deviation, z, adjusted});
    });
  }

 private:
  bool HasClass(const FleetRun::Value& value) const {
    const Class& one = classes_[value.group];
    return one.members >= gates_.min_members && one.median > 0;
  }

  double DeviationOf(const FleetRun::Value& value) const {
    return static_cast<double>(value.throughput) / classes_[value.group].median - 1;
  }

  // Every part of every slot, always in the same order.
  template <typename Use>
  void ForEachPart(Use use) const {
    for (size_t run = 0; run < table_.runs().size(); ++run) {
      std::map<uint32_t, std::vector<FleetRun::Value>> of_slot;
      for (const FleetRun::Value& value : table_.runs()[run].values) {
        if (HasClass(value)) of_slot[table_.SlotOf(value.group)].push_back(value);
      }
      for (const auto& [slot, values] : of_slot) {
        std::map<PartKey, Part> parts;
        for (const FleetRun::Value& value : values) {
          for (const PartKey& key : KeysOf(table_.groups()[value.group])) {
            parts[key].groups.push_back(value.group);
            parts[key].deviations.push_back(DeviationOf(value));
          }
        }
        for (auto& [key, part] : parts) {
          if (part.deviations.size() < kLeastGroups) continue;
          part.key = key;
          part.slot = slot;
          // The upper median: most of them are at least so low.
          const auto middle =
              part.deviations.begin() + static_cast<std::ptrdiff_t>(part.deviations.size() / 2);
          std::nth_element(part.deviations.begin(), middle, part.deviations.end());
          part.deviation = *middle;
          use(run, part);
        }
      }
    }
  }

  void AddStandings(size_t run) {
    std::map<uint32_t, std::vector<double>> of_slot;
    for (const FleetRun::Value& value : table_.runs()[run].values) {
      if (HasClass(value)) of_slot[table_.SlotOf(value.group)].push_back(DeviationOf(value));
    }
    for (auto& [slot, deviations] : of_slot) {
      SlotStanding standing;
      standing.run = run;
      standing.slot = slot;
      standing.deviation = MedianInPlace(deviations);
      analysis_.standings.push_back(standing);
    }
  }

  MachineType TypeOf(const SlotStanding& standing) const {
    return railgauge::TypeOf(table_.runs()[standing.run].run);
  }

  // Where a slot has two speeds and the faster is of no majority, its groups' medians become those
  // of the faster, and what is slower is marked, to be measured again.
  void HoldAgainstTheFaster() {
    std::map<MachineType, std::map<uint32_t, std::vector<double>>> of_types;
    for (const SlotStanding& standing : analysis_.standings) {
      of_types[TypeOf(standing)][standing.slot].push_back(standing.deviation);
    }
    std::map<std::pair<MachineType, uint32_t>, double> faster_from;
    for (auto& [type, of_slot] : of_types) {
      std::vector<std::vector<double>> deviations;
      for (auto& [slot, of_one] : of_slot) deviations.push_back(std::move(of_one));
      const auto faster = FasterSpeeds(deviations, gates_.differs);
      size_t at = 0;
      for (const auto& [slot, of_one] : of_slot) {
        if (const auto& from = faster[at++]) faster_from[{type, slot}] = *from;
      }
    }
    if (faster_from.empty()) return;
    std::map<uint32_t, std::vector<double>> of_group;  // of the faster runs
    for (SlotStanding& standing : analysis_.standings) {
      const auto from = faster_from.find({TypeOf(standing), standing.slot});
      if (from == faster_from.end()) continue;
      standing.two_speeds = standing.deviation < from->second;
      if (standing.two_speeds) {
        slower_.insert({standing.run, standing.slot});
        continue;
      }
      for (const FleetRun::Value& value : table_.runs()[standing.run].values) {
        if (table_.SlotOf(value.group) != standing.slot) continue;
        of_group[value.group].push_back(static_cast<double>(value.throughput));
      }
    }
    for (auto& [group, throughputs] : of_group) classes_[group].median = MedianInPlace(throughputs);
    for (SlotStanding& standing : analysis_.standings) {
      if (faster_from.contains({TypeOf(standing), standing.slot})) {
        standing.deviation = DeviationOf(standing.run, standing.slot);
      }
    }
  }

  // The median over the groups of the slot in the run, of which there is one.
  double DeviationOf(size_t run, uint32_t slot) const {
    std::vector<double> deviations;
    for (const FleetRun::Value& value : table_.runs()[run].values) {
      if (table_.SlotOf(value.group) == slot && HasClass(value)) {
        deviations.push_back(DeviationOf(value));
      }
    }
    return MedianInPlace(deviations);
  }

  const FleetTable& table_;
  const FleetGates& gates_;
  FleetAnalysis& analysis_;
  std::vector<Class> classes_;
  std::set<std::pair<size_t, uint32_t>> slower_;  // runs and slots: SlotStanding::two_speeds
};

}  // namespace

void Screen(const FleetTable& table, const FleetGates& gates, FleetAnalysis& analysis) {
  Screener screener(table, gates, analysis);
  screener.ScreenSlots();
  screener.ScreenParts();
}

}  // namespace railgauge
