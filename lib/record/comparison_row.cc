#include "lib/record/comparison_row.h"

#include <array>

#include "lib/record/enum_names.h"

namespace railgauge {
namespace {

constexpr std::array<std::string_view, 6> kVerdicts = {"SAME",  "SLOWER",  "FASTER",
                                                       "NOISY", "MISSING", "NEW"};

}  // namespace

std::string_view KindOf(const MemoryPlace& place) {
  return place.is_host() ? "host" : place.is_gpu() ? "gpu" : "accelerator";
}

std::string_view ToString(CompareVerdict verdict) { return NameOf(kVerdicts, verdict); }
std::optional<CompareVerdict> ParseCompareVerdict(std::string_view text) {
  return FromName<CompareVerdict>(kVerdicts, text);
}

}  // namespace railgauge
