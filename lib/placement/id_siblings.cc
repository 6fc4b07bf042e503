#include "lib/placement/id_siblings.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "lib/placement/finding_kinds.h"
#include "lib/placement/sentences.h"
#include "lib/topology/relation.h"

namespace railgauge {
namespace {

using Kind = Trait::Kind;

// What a deviation is a case of.
enum class Manner { kTold, kSplit, kJoined, kWays };

Manner MannerOf(const Deviation& deviation) {
  const bool more = deviation.value > deviation.usual;
  switch (deviation.trait.kind) {
    case Kind::kNamed:
      return Manner::kTold;
    case Kind::kAlike:
      return more ? Manner::kSplit : Manner::kJoined;
    case Kind::kShared:
      return more ? Manner::kJoined : Manner::kSplit;
    default:
      return more ? Manner::kJoined : Manner::kWays;
  }
}

FindingKind KindOf(Manner manner) {
  switch (manner) {
    case Manner::kTold:
      return KindNamed("ids_told_unlike_siblings");
    case Manner::kSplit:
      return KindNamed("ids_split_unlike_siblings");
    case Manner::kJoined:
      return KindNamed("ids_joined_unlike_siblings");
    default:
      return KindNamed("ways_disagree");
  }
}

std::string SentenceOf(Manner manner, const NicKey& nic, const std::string& fields, bool fewer) {
  const std::string name = NameOf(nic);
  switch (manner) {
    case Manner::kTold:
      if (fewer) {
        return fmt::format(
            "{} names no interconnect id ({}) at places where its siblings name one. That is a "
            "normal answer, and such places are judged by topology and measurement; compare its "
            "firmware and driver with theirs.",
            name, fields);
      }
      return fmt::format(
          "{} names interconnect ids ({}) at places where its siblings name none. Compare its "
          "firmware and driver with theirs.",
          name, fields);
    case Manner::kSplit:
      return fmt::format(
          "{} names several interconnects ({}) for places for which its siblings name one. What "
          "differs between these places is not known: measure them with it and with a sibling.",
          name, fields);
    case Manner::kJoined:
      return fmt::format(
          "{} names one interconnect ({}) for places that its siblings tell apart: it may reach "
          "them by another way than they do. Measure these places with it and with a sibling.",
          name, fields);
    default:
      return fmt::format(
          "{} answers otherwise than its siblings when one place is registered in two ways ({}). "
          "Register as the job does, and go by that way's ids alone.",
          name, fields);
  }
}

// What NICs with this value of a trait do.
std::string_view WordOf(Kind kind, int value) {
  constexpr std::string_view kWords[][3] = {
      {"name none", "name some", "name one for each place"},
      {"name one id for all", "name several", "name another for each"},
      {"tell them apart", "name a common one", ""},
      {"disagree", "agree in part", "agree"}};
  return kWords[static_cast<size_t>(kind)][static_cast<size_t>(value)];
}

std::string GroupText(const FieldAnswers& answers, const PlaceGroup& group) {
  const auto found = answers.find(group);
  return fmt::format("{}: {}", ToText(group),
                     found == answers.end() ? "nothing" : ToText(found->second));
}

// "rdma_read: same_switch GPUs by dmabuf: 7; …, where 31 of 31 siblings tell them apart". Each
// group once, however many traits it deviates in.
std::string EvidenceOf(const NicIds& nic, const std::vector<Deviation>& deviations) {
  std::string text;
  for (const IcField field : kIcFields) {
    std::set<PlaceGroup> groups;
    const Deviation* example = nullptr;
    for (const Deviation& deviation : deviations) {
      if (deviation.trait.field != field) continue;
      groups.insert(deviation.trait.group);
      if (deviation.trait.kind == Kind::kShared || deviation.trait.kind == Kind::kWays) {
        groups.insert(deviation.trait.other);
      }
      if (example == nullptr) example = &deviation;
    }
    if (example == nullptr) continue;
    const FieldAnswers answers = AnswersOf(nic, field);
    std::string list;
    for (const PlaceGroup& group : groups) {
      list += (list.empty() ? "" : ", ") + GroupText(answers, group);
    }
    text += fmt::format("{}{}: {}; {} of {} siblings {}", text.empty() ? "" : " | ",
                        ToString(field), list, example->like_usual, example->siblings - 1,
                        WordOf(example->trait.kind, example->usual));
  }
  return text;
}

void AddPlaces(const NicIds& nic, const Trait& trait, std::set<MemoryPlace>& places) {
  const FieldAnswers answers = AnswersOf(nic, trait.field);
  for (const PlaceGroup& group : {trait.group, trait.other}) {
    const auto found = answers.find(group);
    if (found == answers.end()) continue;
    if (group == trait.other && trait.kind != Kind::kShared && trait.kind != Kind::kWays) continue;
    for (const auto& [place, id] : found->second) places.insert(place);
  }
}

Finding FindingOf(const NicIds& nic, Manner manner, const std::vector<Deviation>& deviations) {
  Finding finding = MakeFinding(KindOf(manner));
  finding.nic = nic.nic;
  std::set<MemoryPlace> places;
  std::set<IcField> fields;
  bool fewer = true;
  for (const Deviation& deviation : deviations) {
    AddPlaces(nic, deviation.trait, places);
    fields.insert(deviation.trait.field);
    fewer &= deviation.value < deviation.usual;
  }
  finding.places.assign(places.begin(), places.end());
  if (fields.size() == 1) finding.field = *fields.begin();
  std::string names;
  for (const IcField field : fields) {
    names += (names.empty() ? "" : ", ") + std::string(ToString(field));
  }
  finding.sentence = SentenceOf(manner, nic.nic, names, fewer);
  finding.evidence = EvidenceOf(nic, deviations);
  return finding;
}

// Where ids are named by only one of two NICs, nothing else can be compared.
void DropWhatFollows(std::vector<Deviation>& deviations) {
  std::set<std::pair<IcField, PlaceGroup>> told;
  for (const Deviation& deviation : deviations) {
    const Trait& trait = deviation.trait;
    if (trait.kind == Kind::kNamed) told.insert({trait.field, trait.group});
  }
  std::erase_if(deviations, [&](const Deviation& deviation) {
    const Trait& trait = deviation.trait;
    if (trait.kind == Kind::kNamed) return false;
    const bool pair = trait.kind == Kind::kShared || trait.kind == Kind::kWays;
    return told.contains({trait.field, trait.group}) ||
           (pair && told.contains({trait.field, trait.other}));
  });
}

std::vector<Finding> OfNic(const NicIds& nic, std::vector<Deviation> deviations) {
  DropWhatFollows(deviations);
  std::map<Manner, std::vector<Deviation>> by_manner;
  for (const Deviation& deviation : deviations) {
    by_manner[MannerOf(deviation)].push_back(deviation);
  }
  std::vector<Finding> findings;
  for (const auto& [manner, some] : by_manner) findings.push_back(FindingOf(nic, manner, some));
  return findings;
}

std::vector<NicKey> KeysOf(std::span<const NicIds> table, std::span<const size_t> members) {
  std::vector<NicKey> keys;
  for (const size_t index : members) keys.push_back(table[index].nic);
  return keys;
}

Finding SiblingsDisagree(std::span<const NicIds> table, std::span<const size_t> siblings,
                         const std::set<Trait>& split) {
  Finding finding = MakeFinding(KindNamed("siblings_disagree"));
  const std::vector<NicKey> nics = KeysOf(table, siblings);
  finding.sentence = fmt::format(
      "{} lie alike to all places, and their interconnect ids tell different places apart; none of "
      "the patterns is the usual one. Compare their firmware, and go by what is measured.",
      ListOf(nics));
  // One example: the first trait.
  const Trait& trait = *split.begin();
  std::set<MemoryPlace> places;
  std::map<int, std::vector<size_t>> by_value;
  for (const size_t index : siblings) {
    for (const Trait& one : split) AddPlaces(table[index], one, places);
    const auto traits = TraitsOf(table[index]);
    const auto value = traits.find(trait);
    if (value != traits.end()) by_value[value->second].push_back(index);
  }
  finding.places.assign(places.begin(), places.end());
  finding.evidence = fmt::format("{}, {}", ToString(trait.field), ToText(trait.group));
  for (const auto& [value, members] : by_value) {
    finding.evidence +=
        fmt::format("; {} {}", ListOf(KeysOf(table, members)), WordOf(trait.kind, value));
  }
  return finding;
}

bool CanTell(const NicIds& nic) {
  return std::any_of(nic.slots.begin(), nic.slots.end(),
                     [](const IdSlot& slot) { return slot.state == IdSlot::State::kTold; });
}

std::optional<Finding> CannotTell(const NicIds& nic, size_t others, size_t nics) {
  Finding finding = MakeFinding(KindNamed("nic_cannot_tell"));
  for (const IdSlot& slot : nic.slots) {
    if (slot.state != IdSlot::State::kCannotTell) continue;
    if (finding.places.empty() || finding.places.back() != slot.place) {
      finding.places.push_back(slot.place);
    }
  }
  if (finding.places.empty()) return std::nullopt;
  finding.nic = nic.nic;
  finding.sentence = fmt::format(
      "{} cannot tell its interconnect ids{}, and other NICs of this machine can. It is judged by "
      "topology and measurement; compare its driver and firmware with theirs.",
      NameOf(nic.nic), CanTell(nic) ? " at some places" : "");
  finding.evidence = fmt::format("{} of {} NICs can tell", others + (CanTell(nic) ? 1 : 0), nics);
  return finding;
}

std::vector<Finding> NicsThatCannotTell(std::span<const NicIds> table) {
  const auto able = static_cast<size_t>(std::count_if(table.begin(), table.end(), CanTell));
  std::vector<Finding> findings;
  for (const NicIds& nic : table) {
    const size_t others = able - (CanTell(nic) ? 1 : 0);
    if (others == 0) continue;
    if (auto finding = CannotTell(nic, others, table.size())) {
      findings.push_back(*std::move(finding));
    }
  }
  return findings;
}

// Whether each place of the trait's group has an id for all siblings, or for none, whatever their
// relation to it: then the place decides, and siblings differ by which places are near them.
bool DecidedByPlace(std::span<const NicIds> table, std::span<const size_t> siblings,
                    const Trait& trait) {
  if (trait.kind != Kind::kNamed) return false;
  std::map<MemoryPlace, std::set<bool>> named;
  std::set<MemoryPlace> of_group;
  for (const size_t index : siblings) {
    for (const auto& [group, answers] : AnswersOf(table[index], trait.field)) {
      if (group.way != trait.group.way) continue;
      for (const auto& [place, id] : answers) {
        named[place].insert(id.has_value());
        if (group == trait.group) of_group.insert(place);
      }
    }
  }
  return std::all_of(of_group.begin(), of_group.end(),
                     [&](const MemoryPlace& place) { return named[place].size() == 1; });
}

// The relations that a NIC has to each kind of place, whether the census asked there or not: a
// census of some places must not make a NIC whose GPU it left out the sibling of one without a GPU.
using Situation = std::set<std::pair<MemoryPlace::Kind, Relation>>;

Situation SituationOf(const Machine& machine, const Nic* nic, const NicIds& ids) {
  Situation situation;
  for (const IdSlot& slot : ids.slots) situation.insert({slot.place.kind, slot.relation});
  if (nic == nullptr) return situation;
  for (const auto& places : {machine.Places(), machine.UnsupportedPlaces()}) {
    for (const MemoryPlace& place : places) {
      situation.insert({place.kind, RelationOf(machine, *nic, place).relation});
    }
  }
  return situation;
}

}  // namespace

std::vector<std::vector<size_t>> SiblingClasses(const Machine& machine,
                                                std::span<const NicIds> table) {
  std::map<std::pair<uint16_t, Situation>, std::vector<size_t>> classes;
  for (size_t i = 0; i < table.size(); ++i) {
    const Nic* nic = machine.FindNic(table[i].nic.address);
    const uint16_t model = nic == nullptr ? uint16_t{0} : nic->device_id;
    classes[{model, SituationOf(machine, nic, table[i])}].push_back(i);
  }
  std::vector<std::vector<size_t>> lists;
  for (auto& [key, members] : classes) lists.push_back(std::move(members));
  std::sort(lists.begin(), lists.end());
  return lists;
}

SiblingComparison CompareSiblings(std::span<const NicIds> table, std::span<const size_t> siblings) {
  std::map<Trait, std::map<int, std::vector<size_t>>> by_value;
  for (const size_t index : siblings) {
    for (const auto& [trait, value] : TraitsOf(table[index])) {
      by_value[trait][value].push_back(index);
    }
  }
  SiblingComparison comparison;
  for (const auto& [trait, values] : by_value) {
    if (values.size() == 1) continue;
    size_t all = 0;
    for (const auto& [value, members] : values) all += members.size();
    const auto usual = std::max_element(
        values.begin(), values.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    if (3 * (all - usual->second.size()) > all) {
      if (!DecidedByPlace(table, siblings, trait)) comparison.split.insert(trait);
      continue;
    }
    for (const auto& [value, members] : values) {
      if (value == usual->first) continue;
      for (const size_t index : members) {
        comparison.deviating[index].push_back(
            {trait, value, usual->first, all, usual->second.size()});
      }
    }
  }
  return comparison;
}

std::vector<Finding> FindIdsUnlikeSiblings(const Machine& machine, std::span<const NicIds> table) {
  std::vector<Finding> findings = NicsThatCannotTell(table);
  for (const std::vector<size_t>& siblings : SiblingClasses(machine, table)) {
    const SiblingComparison comparison = CompareSiblings(table, siblings);
    for (const auto& [index, deviations] : comparison.deviating) {
      for (Finding& finding : OfNic(table[index], deviations)) {
        findings.push_back(std::move(finding));
      }
    }
    if (!comparison.split.empty()) {
      findings.push_back(SiblingsDisagree(table, siblings, comparison.split));
    }
  }
  return findings;
}

}  // namespace railgauge
