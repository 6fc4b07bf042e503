// Traits: what a NIC's interconnect ids show, in terms that may be compared with another NIC's.
//
// Ids are opaque per device, so no value is ever compared across devices. What can be compared is
// which places are told apart: places are put in groups by kind, relation and registration way, and
// a trait says of one group (or two) whether ids are named, whether they are alike, and whether two
// groups have one in common.
#ifndef RAILGAUGE_LIB_PLACEMENT_ID_TRAITS_H_
#define RAILGAUGE_LIB_PLACEMENT_ID_TRAITS_H_

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "lib/placement/id_table.h"
#include "lib/record/records.h"

namespace railgauge {

// The places of one kind that have one relation to a NIC, registered one way.
struct PlaceGroup {
  MemoryPlace::Kind kind = MemoryPlace::Kind::kNumaNode;
  Relation relation = Relation::kUnknown;
  RegistrationWay way = RegistrationWay::kHost;
  friend auto operator<=>(const PlaceGroup&, const PlaceGroup&) = default;
};

// "same_switch GPUs by dmabuf", "other_numa_node host memory".
std::string ToText(const PlaceGroup& group);

// What was told of the places of a group in one field; empty for "no id".
using GroupAnswers = std::map<MemoryPlace, std::optional<uint16_t>>;
using FieldAnswers = std::map<PlaceGroup, GroupAnswers>;

// Of the slots that were told (IdSlot::State); groups without any are left out.
FieldAnswers AnswersOf(const NicIds& nic, IcField field);

// "7, 7, none": in the order of places, at most eight.
std::string ToText(const GroupAnswers& answers);

struct Trait {
  enum class Kind {
    kNamed,   // whether the group's places have ids: kNone, kSome, kAll
    kAlike,   // whether these are alike: kOne, kSeveral, kEach; of at least two places with ids
    kShared,  // whether two groups have an id in common: kNo, kYes
    kWays,    // whether two ways of registering agree at the same places: kNone, kSome, kAll
  };
  Kind kind = Kind::kNamed;
  IcField field = IcField::kRecv;
  PlaceGroup group, other;  // `other` as well as `group` in kShared and kWays
  friend auto operator<=>(const Trait&, const Trait&) = default;
};

// Of kNamed and kWays; of kAlike (one id, several, each place its own); of kShared. Greater values
// tell more places apart, but for kShared.
inline constexpr int kNone = 0, kSome = 1, kAll = 2;
inline constexpr int kOne = 0, kSeveral = 1, kEach = 2;
inline constexpr int kNo = 0, kYes = 1;

// The traits that the NIC's answers define: what has too few answers has no trait, and so differs
// from nothing.
std::map<Trait, int> TraitsOf(const NicIds& nic);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_ID_TRAITS_H_
