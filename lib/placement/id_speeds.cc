#include "lib/placement/id_speeds.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "fmt/core.h"
#include "lib/base/pci_address.h"
#include "lib/placement/believed_speed.h"
#include "lib/placement/cell_table.h"
#include "lib/placement/finding_kinds.h"
#include "lib/placement/id_siblings.h"
#include "lib/placement/id_traits.h"
#include "lib/placement/sentences.h"
#include "lib/stats/median.h"

namespace railgauge {
namespace {

constexpr size_t kSiblingsThatTell = 3;

std::vector<double> Undisturbed(const MeasuredCell& cell) {
  std::vector<double> values;
  for (const Window& window : cell.windows) {
    if (!window.disturbed) values.push_back(window.value);
  }
  return values;
}

// A measured cell that an id is attributed to.
struct Attributed {
  MemoryPlace place;
  PlaceGroup group;
  uint16_t id = 0;
  const MeasuredCell* cell = nullptr;
};

// The cells of one NIC that tell of `field`: whose id is the one that the census has.
std::vector<Attributed> AttributedTo(const NicIds& nic, IcField field, const CellTable& table) {
  std::vector<Attributed> found;
  for (const Dimension& dimension : kDimensions) {
    if (AttributingField(dimension.operation, dimension.direction) != field) continue;
    for (const IdSlot& slot : nic.slots) {
      const std::optional<uint16_t>& id = slot.ids.Get(field);
      if (slot.state != IdSlot::State::kTold || !id) continue;
      const MeasuredCell* cell = table.Find(nic.nic.address, slot.place, dimension);
      if (cell == nullptr || !cell->measured() || cell->way != slot.way) continue;
      if (cell->interconnect_id != id) continue;
      found.push_back({slot.place, {slot.place.kind, slot.relation, slot.way}, *id, cell});
    }
  }
  return found;
}

// ---- id_with_two_speeds ----

struct SlowAtPlace {
  std::vector<NicKey> nics;
  std::string example;  // of the first NIC
};
using SlowPlaces = std::map<std::pair<IcField, MemoryPlace>, SlowAtPlace>;

bool AllBelow(const std::vector<double>& windows, double limit) {
  return windows.size() >= kWindowsThatTell &&
         std::all_of(windows.begin(), windows.end(), [&](double value) { return value < limit; });
}

// What the places that are like this one in id and relation give; empty where that is not known
// well enough. A few single windows may be half too fast, and then the class, which is the same
// relation at all NICs, says otherwise: of the two the lower counts.
std::optional<double> UsualOf(const Evidence& evidence, const Attributed& one,
                              const std::vector<Attributed>& members) {
  std::vector<double> medians;
  size_t windows = 0;
  for (const Attributed& other : members) {
    if (other.place == one.place) continue;
    medians.push_back(*other.cell->median);
    windows += Undisturbed(*other.cell).size();
  }
  std::optional<double> usual = Median(medians);
  if (!usual) return std::nullopt;
  if (const auto standing = evidence.classes().Of(*one.cell)) {
    return std::min(*usual, standing->median);
  }
  return windows >= kWindowsThatTell ? usual : std::nullopt;
}

void AddSlowPlaces(const Evidence& evidence, const NicIds& nic, IcField field, SlowPlaces& slow) {
  const double bad = evidence.gates().bad_placement;
  std::map<std::pair<PlaceGroup, uint16_t>, std::vector<Attributed>> alike;
  for (const Attributed& one : AttributedTo(nic, field, evidence.table())) {
    if (one.group.relation != Relation::kUnknown) alike[{one.group, one.id}].push_back(one);
  }
  for (const auto& [key, members] : alike) {
    for (const Attributed& one : members) {
      const std::optional<double> usual = UsualOf(evidence, one, members);
      if (!usual || !AllBelow(Undisturbed(*one.cell), (1 - bad) * *usual)) continue;
      SlowAtPlace& entry = slow[{field, one.place}];
      if (entry.nics.empty()) {
        entry.example = fmt::format(
            "{}, id {}, {}: {} in {} windows, where {} are usual", NameOf(nic.nic), one.id,
            ToText(one.group), RateOf(*one.cell->median), one.cell->windows.size(), RateOf(*usual));
      }
      entry.nics.push_back(nic.nic);
    }
  }
}

std::vector<Finding> IdsWithTwoSpeeds(const Evidence& evidence, std::span<const NicIds> nics) {
  SlowPlaces slow;
  for (const NicIds& nic : nics) {
    for (const IcField field : kIcFields) AddSlowPlaces(evidence, nic, field, slow);
  }
  std::vector<Finding> findings;
  for (const auto& [key, entry] : slow) {
    Finding finding = MakeFinding(KindNamed("id_with_two_speeds"));
    if (entry.nics.size() == 1) finding.nic = entry.nics.front();
    finding.field = key.first;
    finding.places = {key.second};
    finding.sentence = fmt::format(
        "{} is slower to {} than other places with the same interconnect id ({}) and relation: "
        "what limits it shows neither in the ids nor in the topology. Go by what is measured, and "
        "have the link and the ACS settings of its path checked.",
        key.second.ToString(), ListOf(entry.nics), ToString(key.first));
    finding.evidence = entry.example;
    findings.push_back(std::move(finding));
  }
  return findings;
}

// ---- ids_with_one_speed ----

struct GroupSpeed {
  std::set<uint16_t> ids;
  std::set<MemoryPlace> places;
  std::vector<double> medians;
  std::vector<double> windows;  // undisturbed
  double speed() const { return *Median(medians); }
};
using GroupSpeeds = std::map<PlaceGroup, GroupSpeed>;

GroupSpeeds SpeedsOf(const NicIds& nic, IcField field, const CellTable& table) {
  GroupSpeeds speeds;
  for (const Attributed& one : AttributedTo(nic, field, table)) {
    if (one.group.relation == Relation::kUnknown) continue;
    GroupSpeed& speed = speeds[one.group];
    speed.ids.insert(one.id);
    speed.places.insert(one.place);
    speed.medians.push_back(*one.cell->median);
    const std::vector<double> windows = Undisturbed(*one.cell);
    speed.windows.insert(speed.windows.end(), windows.begin(), windows.end());
  }
  return speeds;
}

bool Disjoint(const std::set<uint16_t>& a, const std::set<uint16_t>& b) {
  return std::none_of(a.begin(), a.end(), [&](uint16_t id) { return b.contains(id); });
}

// Two groups at one speed, of which siblings have `fast` faster.
struct OneSpeed {
  PlaceGroup fast, slow;
  double usual_fast = 0, usual_slow = 0;
};

std::optional<OneSpeed> Compare(const PlaceGroup& fast, const PlaceGroup& slow,
                                const GroupSpeeds& own, std::span<const GroupSpeeds> others,
                                const JudgeGates& gates) {
  const GroupSpeed &own_fast = own.at(fast), &own_slow = own.at(slow);
  if (!Disjoint(own_fast.ids, own_slow.ids)) return std::nullopt;
  std::vector<double> fast_speeds, slow_speeds;
  for (const GroupSpeeds& other : others) {
    const auto a = other.find(fast), b = other.find(slow);
    if (a == other.end() || b == other.end()) continue;
    fast_speeds.push_back(a->second.speed());
    slow_speeds.push_back(b->second.speed());
  }
  if (fast_speeds.size() < kSiblingsThatTell) return std::nullopt;
  const OneSpeed found{fast, slow, *Median(fast_speeds), *Median(slow_speeds)};
  const double low = std::min(own_fast.speed(), own_slow.speed());
  const double high = std::max(own_fast.speed(), own_slow.speed());
  const bool siblings_have_two = found.usual_slow < (1 - gates.bad_placement) * found.usual_fast;
  const bool has_one = low >= (1 - gates.differs) * high;
  const bool slower = AllBelow(own_fast.windows, (1 - gates.bad_placement) * found.usual_fast);
  if (!siblings_have_two || !has_one || !slower) return std::nullopt;
  return found;
}

std::string IdsText(const std::set<uint16_t>& ids) {
  std::string text;
  for (const uint16_t id : ids) text += (text.empty() ? "" : ", ") + std::to_string(id);
  return text;
}

std::string EvidenceOf(const OneSpeed& found, const GroupSpeeds& own) {
  const GroupSpeed &fast = own.at(found.fast), &slow = own.at(found.slow);
  return fmt::format("{} (id {}) {} and {} (id {}) {}, where siblings have {} and {}",
                     ToText(found.fast), IdsText(fast.ids), RateOf(fast.speed()),
                     ToText(found.slow), IdsText(slow.ids), RateOf(slow.speed()),
                     RateOf(found.usual_fast), RateOf(found.usual_slow));
}

std::optional<Finding> OneSpeedOf(const NicKey& nic, IcField field, const GroupSpeeds& own,
                                  std::span<const GroupSpeeds> others, const JudgeGates& gates) {
  Finding finding = MakeFinding(KindNamed("ids_with_one_speed"));
  std::set<MemoryPlace> places;
  for (const auto& [fast, fast_speed] : own) {
    for (const auto& [slow, slow_speed] : own) {
      if (fast == slow) continue;
      const auto found = Compare(fast, slow, own, others, gates);
      if (!found) continue;
      places.insert(fast_speed.places.begin(), fast_speed.places.end());
      places.insert(slow_speed.places.begin(), slow_speed.places.end());
      if (finding.evidence.empty()) finding.evidence = EvidenceOf(*found, own);
    }
  }
  if (places.empty()) return std::nullopt;
  finding.nic = nic;
  finding.field = field;
  finding.places.assign(places.begin(), places.end());
  finding.sentence = fmt::format(
      "{} reaches places of different interconnect ids ({}) at one speed, where its siblings have "
      "two: what limits it is likely common to these places, as the NIC and its own link are. Have "
      "these checked first.",
      NameOf(nic), ToString(field));
  return finding;
}

std::vector<Finding> IdsWithOneSpeed(const Machine& machine, std::span<const NicIds> nics,
                                     const CellTable& table, const JudgeGates& gates) {
  std::vector<Finding> findings;
  for (const std::vector<size_t>& siblings : SiblingClasses(machine, nics)) {
    if (siblings.size() <= kSiblingsThatTell) continue;
    for (const IcField field : kIcFields) {
      std::vector<GroupSpeeds> speeds;
      for (const size_t index : siblings) speeds.push_back(SpeedsOf(nics[index], field, table));
      for (size_t i = 0; i < siblings.size(); ++i) {
        // The one itself last, so that the others are one range.
        std::swap(speeds[i], speeds.back());
        const std::span<const GroupSpeeds> others(speeds.data(), speeds.size() - 1);
        auto finding = OneSpeedOf(nics[siblings[i]].nic, field, speeds.back(), others, gates);
        std::swap(speeds[i], speeds.back());
        if (finding) findings.push_back(*std::move(finding));
      }
    }
  }
  return findings;
}

// ---- id_changed ----

std::vector<Finding> IdsThatChanged(std::span<const NicIds> nics, std::span<const Sample> samples) {
  using Key = std::tuple<PciAddress, MemoryPlace, RegistrationWay>;
  std::map<Key, const IdSlot*> slots;
  for (const NicIds& nic : nics) {
    for (const IdSlot& slot : nic.slots) {
      if (slot.state == IdSlot::State::kTold)
        slots[{nic.nic.address, slot.place, slot.way}] = &slot;
    }
  }
  // In the order of NICs, places and fields.
  std::map<PciAddress, std::set<std::tuple<MemoryPlace, IcField, uint16_t, std::string>>> changed;
  for (const Sample& sample : samples) {
    const auto field = AttributingField(sample.cell.operation, sample.cell.direction);
    if (!field || !sample.interconnect_id) continue;
    const auto slot = slots.find({sample.cell.nic.address, sample.cell.place, sample.way});
    if (slot == slots.end()) continue;
    const std::optional<uint16_t>& id = slot->second->ids.Get(*field);
    if (id == sample.interconnect_id) continue;
    changed[sample.cell.nic.address].insert(
        {sample.cell.place, *field, *sample.interconnect_id, id ? std::to_string(*id) : "none"});
  }
  std::vector<Finding> findings;
  for (const NicIds& nic : nics) {
    const auto found = changed.find(nic.nic.address);
    if (found == changed.end()) continue;
    Finding finding = MakeFinding(KindNamed("id_changed"));
    finding.nic = nic.nic;
    std::set<MemoryPlace> places;
    for (const auto& [place, field, id, census_id] : found->second) {
      places.insert(place);
      finding.evidence += fmt::format("{}{}: {} {} measured with, {} in the census",
                                      finding.evidence.empty() ? "" : "; ", place.ToString(),
                                      ToString(field), id, census_id);
    }
    finding.places.assign(places.begin(), places.end());
    finding.sentence = fmt::format(
        "{} named another interconnect id for the memory that was measured than for that of the "
        "census, at the same place: the ids may change with every registration. Take the census "
        "again, and rest nothing on these ids until two agree.",
        NameOf(nic.nic));
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace

std::vector<Finding> FindIdSpeeds(const Evidence& evidence, std::span<const NicIds> nics,
                                  std::span<const Sample> samples) {
  if (samples.empty()) return {};
  const CellTable& table = evidence.table();
  const JudgeGates& gates = evidence.gates();
  std::vector<Finding> findings = IdsWithTwoSpeeds(evidence, nics);
  for (auto family :
       {IdsWithOneSpeed(evidence.machine(), nics, table, gates), IdsThatChanged(nics, samples)}) {
    findings.insert(findings.end(), family.begin(), family.end());
  }
  return findings;
}

}  // namespace railgauge
