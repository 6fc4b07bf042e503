#include "lib/record/load_group.h"

#include <array>

#include "lib/record/enum_names.h"

namespace railgauge {
namespace {

constexpr std::array<std::string_view, 4> kSharings = {"independent", "slowed", "noisy",
                                                       "undecided"};

}  // namespace

std::string_view ToString(Sharing sharing) { return NameOf(kSharings, sharing); }
std::optional<Sharing> ParseSharing(std::string_view text) {
  return FromName<Sharing>(kSharings, text);
}

}  // namespace railgauge
