#include "lib/instance_types/instance_type.h"

#include <array>

#include "lib/record/enum_names.h"

namespace railgauge {
namespace {

constexpr std::array<std::string_view, 3> kProvenances = {"published", "seen", "assumed"};
constexpr std::array<std::string_view, 3> kPciTrees = {"flat", "host_bridges", "switches"};

}  // namespace

std::string_view ToString(Provenance provenance) { return NameOf(kProvenances, provenance); }
std::string_view ToString(PciTree tree) { return NameOf(kPciTrees, tree); }

}  // namespace railgauge
