#include "lib/placement/id_partitions.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "fmt/core.h"
#include "lib/base/pci_address.h"
#include "lib/placement/finding_kinds.h"
#include "lib/placement/id_siblings.h"
#include "lib/placement/id_traits.h"
#include "lib/placement/sentences.h"

namespace railgauge {
namespace {

// One finding for the NICs that show the same.
struct Shown {
  std::vector<NicKey> nics;
  std::set<MemoryPlace> places;
  std::string example;  // of the first NIC

  void Add(const NicKey& nic, const std::set<MemoryPlace>& where, const std::string& evidence) {
    if (nics.empty()) example = NameOf(nic) + ": " + evidence;
    if (nics.empty() || nics.back() != nic) nics.push_back(nic);
    places.insert(where.begin(), where.end());
  }
};

// `sentence` has one {} for the NICs.
std::optional<Finding> FindingOf(const Shown& shown, const FindingKind& kind,
                                 std::optional<IcField> field, const std::string& sentence) {
  if (shown.nics.empty()) return std::nullopt;
  Finding finding = MakeFinding(kind);
  if (shown.nics.size() == 1) finding.nic = shown.nics.front();
  finding.places.assign(shown.places.begin(), shown.places.end());
  finding.field = field;
  finding.sentence = fmt::format(fmt::runtime(sentence), ListOf(shown.nics));
  finding.evidence = shown.example;
  return finding;
}

// What lies below one switch or host bridge, by name; each place by itself where neither is known.
std::string BranchOf(const Machine& machine, const MemoryPlace& place) {
  const Gpu* gpu = place.is_gpu() ? machine.FindGpu(place.gpu) : nullptr;
  if (gpu == nullptr) return place.ToString();
  if (!gpu->position.bridges.empty()) return gpu->position.bridges.front().ToString();
  return gpu->position.host_bridge.empty() ? place.ToString() : gpu->position.host_bridge;
}

// Whether the answers divide the places as nothing that is known would.
bool DividedOddly(const Machine& machine, const GroupAnswers& answers) {
  std::map<std::optional<uint16_t>, std::set<MemoryPlace>> classes;
  std::map<std::string, std::set<std::optional<uint16_t>>> ids_of_branch;
  for (const auto& [place, id] : answers) {
    classes[id].insert(place);
    ids_of_branch[BranchOf(machine, place)].insert(id);
  }
  if (classes.size() == 1) return false;
  if (classes.contains(std::nullopt)) return true;
  if (classes.size() == answers.size()) return false;
  const size_t size = classes.begin()->second.size();
  const bool even = std::all_of(classes.begin(), classes.end(),
                                [&](const auto& one) { return one.second.size() == size; });
  const bool by_branch = std::all_of(ids_of_branch.begin(), ids_of_branch.end(),
                                     [](const auto& branch) { return branch.second.size() == 1; });
  return !even || !by_branch;
}

std::set<MemoryPlace> PlacesOf(const GroupAnswers& answers) {
  std::set<MemoryPlace> places;
  for (const auto& [place, id] : answers) places.insert(place);
  return places;
}

// "gpu:… 7, gpu:… 9".
std::string WithPlaces(const GroupAnswers& answers) {
  std::string text;
  for (const auto& [place, id] : answers) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", place.ToString(),
                        id ? std::to_string(*id) : "none");
  }
  return text;
}

bool Deviates(const std::vector<Deviation>& deviations, IcField field, const PlaceGroup& group) {
  return std::any_of(deviations.begin(), deviations.end(), [&](const Deviation& deviation) {
    const Trait& trait = deviation.trait;
    return trait.field == field && (trait.group == group || trait.other == group);
  });
}

bool OddlyPlaced(const PlaceGroup& group) {
  return group.kind == MemoryPlace::Kind::kGpu && group.relation != Relation::kUnknown;
}

// Both findings of one field, over NICs in order.
class FieldScan {
 public:
  FieldScan(const Machine& machine, IcField field) : machine_(machine), field_(field) {}

  void Add(const NicIds& nic, const std::vector<Deviation>& deviations) {
    const FieldAnswers groups = AnswersOf(nic, field_);
    for (auto a = groups.begin(); a != groups.end(); ++a) {
      const auto& [group, answers] = *a;
      if (!OddlyPlaced(group) || Deviates(deviations, field_, group)) continue;
      if (DividedOddly(machine_, answers)) {
        divided_.Add(nic.nic, PlacesOf(answers),
                     fmt::format("{}: {}", ToText(group), WithPlaces(answers)));
      }
      for (auto b = std::next(a); b != groups.end(); ++b) {
        if (b->first.kind == group.kind && b->first.relation == group.relation) {
          CompareWays(nic, *a, *b);
        }
      }
    }
  }

  std::vector<Finding> Take() const {
    std::vector<Finding> findings;
    const std::string field(ToString(field_));
    if (auto finding = FindingOf(
            divided_, KindNamed("relation_with_two_ids"), field_,
            "To {} some GPUs of one relation have another interconnect id (" + field +
                ") than others, and the topology shows no difference between them. Go by what is "
                "measured at each, not by the relation.")) {
      findings.push_back(*std::move(finding));
    }
    if (auto finding = FindingOf(
            ways_, KindNamed("ways_disagree"), field_,
            "At some GPUs of one relation to {}, and not at others, the interconnect id (" + field +
                ") depends on the way of registering. Go by the ids of the way that the job "
                "uses.")) {
      findings.push_back(*std::move(finding));
    }
    return findings;
  }

 private:
  void CompareWays(const NicIds& nic, const std::pair<const PlaceGroup, GroupAnswers>& a,
                   const std::pair<const PlaceGroup, GroupAnswers>& b) {
    GroupAnswers agree, disagree;
    for (const auto& [place, id] : a.second) {
      const auto other = b.second.find(place);
      if (other == b.second.end()) continue;
      (other->second == id ? agree : disagree)[place] = id;
    }
    if (agree.empty() || disagree.empty()) return;
    ways_.Add(nic.nic, PlacesOf(disagree),
              fmt::format("{}: {}; {}: {}", ToText(a.first), WithPlaces(a.second), ToText(b.first),
                          WithPlaces(b.second)));
  }

  const Machine& machine_;
  const IcField field_;
  Shown divided_, ways_;
};

// Two places, by their ways, that one field tells apart and another does not.
struct Pair {
  const IdSlot* a = nullptr;
  const IdSlot* b = nullptr;
};

// Empty where no two places are alike by `same` and different by `different`.
std::optional<Pair> FindPair(const NicIds& nic, IcField same, IcField different) {
  // The first slot with each id; a later one with that id and another id of `different` is a pair.
  std::map<uint16_t, const IdSlot*> first;
  for (const IdSlot& slot : nic.slots) {
    const auto id = slot.ids.Get(same), other = slot.ids.Get(different);
    if (slot.state != IdSlot::State::kTold || !id || !other) continue;
    const auto [entry, fresh] = first.try_emplace(*id, &slot);
    if (!fresh && *entry->second->ids.Get(different) != *other) return Pair{entry->second, &slot};
  }
  return std::nullopt;
}

std::string PairText(const Pair& pair, IcField same, IcField different) {
  return fmt::format("{} and {} have one {} id ({}) and two {} ids ({}, {})",
                     pair.a->place.ToString(), pair.b->place.ToString(), ToString(same),
                     *pair.a->ids.Get(same), ToString(different), *pair.a->ids.Get(different),
                     *pair.b->ids.Get(different));
}

std::optional<Finding> FieldsDisagree(std::span<const NicIds> table) {
  Shown shown;
  for (const NicIds& nic : table) {
    for (const auto& [x, y] : {std::pair(IcField::kRecv, IcField::kRdmaRead),
                               std::pair(IcField::kRecv, IcField::kRdmaRecv),
                               std::pair(IcField::kRdmaRead, IcField::kRdmaRecv)}) {
      const auto by_x = FindPair(nic, x, y), by_y = FindPair(nic, y, x);
      if (!by_x || !by_y) continue;
      shown.Add(nic.nic, {by_x->a->place, by_x->b->place, by_y->a->place, by_y->b->place},
                PairText(*by_x, x, y) + "; " + PairText(*by_y, y, x));
    }
  }
  return FindingOf(shown, KindNamed("fields_disagree"), std::nullopt,
                   "Two fields of {} divide the places so that neither division is part of the "
                   "other: they cannot both name one set of ways to memory. Hold READ against "
                   "rdma_read and WRITE against rdma_recv alone.");
}

}  // namespace

std::vector<Finding> FindIdPartitions(const Machine& machine, std::span<const NicIds> table) {
  std::map<size_t, std::vector<Deviation>> deviating;
  for (const std::vector<size_t>& siblings : SiblingClasses(machine, table)) {
    deviating.merge(CompareSiblings(table, siblings).deviating);
  }
  std::vector<Finding> findings;
  for (const IcField field : kIcFields) {
    FieldScan scan(machine, field);
    for (size_t i = 0; i < table.size(); ++i) scan.Add(table[i], deviating[i]);
    for (Finding& finding : scan.Take()) findings.push_back(std::move(finding));
  }
  if (auto finding = FieldsDisagree(table)) findings.push_back(*std::move(finding));
  return findings;
}

}  // namespace railgauge
