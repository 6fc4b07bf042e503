#include "lib/placement/id_traits.h"

#include <set>
#include <string_view>

#include "fmt/core.h"

namespace railgauge {
namespace {

using Ids = std::set<uint16_t>;

Ids IdsIn(const GroupAnswers& answers) {
  Ids ids;
  for (const auto& [place, id] : answers) {
    if (id) ids.insert(*id);
  }
  return ids;
}

size_t NamedIn(const GroupAnswers& answers) {
  size_t named = 0;
  for (const auto& [place, id] : answers) named += id ? 1 : 0;
  return named;
}

int Share(size_t part, size_t whole) { return part == 0 ? kNone : part < whole ? kSome : kAll; }

bool HaveCommon(const Ids& a, const Ids& b) {
  for (const uint16_t id : a) {
    if (b.contains(id)) return true;
  }
  return false;
}

std::string_view NameOf(MemoryPlace::Kind kind) {
  switch (kind) {
    case MemoryPlace::Kind::kNumaNode:
      return "host memory";
    case MemoryPlace::Kind::kGpu:
      return "GPUs";
    default:
      return "accelerators";
  }
}

// Of two ways of registering the same kind of place: a trait of the places, not of two groups.
bool OnlyWaysDiffer(const PlaceGroup& a, const PlaceGroup& b) {
  return a.kind == b.kind && a.relation == b.relation;
}

// Two groups of one kind are compared by one way: the other ways repeat it.
bool Comparable(const PlaceGroup& a, const PlaceGroup& b) {
  return a.kind != b.kind || a.way == b.way;
}

std::optional<int> WaysOf(const GroupAnswers& a, const GroupAnswers& b) {
  size_t both = 0, agree = 0;
  for (const auto& [place, id] : a) {
    const auto other = b.find(place);
    if (other == b.end()) continue;
    ++both;
    agree += other->second == id ? 1 : 0;
  }
  if (both == 0) return std::nullopt;
  return Share(agree, both);
}

void AddTraits(IcField field, const FieldAnswers& groups, std::map<Trait, int>& traits) {
  for (auto a = groups.begin(); a != groups.end(); ++a) {
    const size_t named = NamedIn(a->second), different = IdsIn(a->second).size();
    traits[{Trait::Kind::kNamed, field, a->first, {}}] = Share(named, a->second.size());
    if (named >= 2) {
      traits[{Trait::Kind::kAlike, field, a->first, {}}] = different == 1      ? kOne
                                                           : different < named ? kSeveral
                                                                               : kEach;
    }
    for (auto b = std::next(a); b != groups.end(); ++b) {
      if (OnlyWaysDiffer(a->first, b->first)) {
        const auto ways = WaysOf(a->second, b->second);
        if (ways) traits[{Trait::Kind::kWays, field, a->first, b->first}] = *ways;
      } else if (Comparable(a->first, b->first)) {
        const Ids ids = IdsIn(a->second), other_ids = IdsIn(b->second);
        if (ids.empty() || other_ids.empty()) continue;
        traits[{Trait::Kind::kShared, field, a->first, b->first}] =
            HaveCommon(ids, other_ids) ? kYes : kNo;
      }
    }
  }
}

}  // namespace

std::string ToText(const PlaceGroup& group) {
  const std::string text = fmt::format("{} {}", ToString(group.relation), NameOf(group.kind));
  if (group.kind == MemoryPlace::Kind::kNumaNode) return text;
  return fmt::format("{} by {}", text, ToString(group.way));
}

FieldAnswers AnswersOf(const NicIds& nic, IcField field) {
  FieldAnswers groups;
  for (const IdSlot& slot : nic.slots) {
    if (slot.state != IdSlot::State::kTold) continue;
    groups[{slot.place.kind, slot.relation, slot.way}][slot.place] = slot.ids.Get(field);
  }
  return groups;
}

std::string ToText(const GroupAnswers& answers) {
  constexpr size_t kMost = 8;
  std::string text;
  size_t shown = 0;
  for (const auto& [place, id] : answers) {
    if (shown == kMost) return fmt::format("{} and {} more", text, answers.size() - kMost);
    text += (shown++ == 0 ? "" : ", ") + (id ? std::to_string(*id) : std::string("none"));
  }
  return text;
}

std::map<Trait, int> TraitsOf(const NicIds& nic) {
  std::map<Trait, int> traits;
  for (const IcField field : kIcFields) AddTraits(field, AnswersOf(nic, field), traits);
  return traits;
}

}  // namespace railgauge
