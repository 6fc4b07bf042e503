#include "lib/record/records.h"

#include <array>

namespace railgauge {
namespace {

constexpr std::array<std::string_view, 5> kCensusStatuses = {"ok", "no_id", "cannot_tell",
                                                             "registration_failed", "skipped"};
constexpr std::array<std::string_view, 4> kSampleStatuses = {"ok", "skipped", "failed", "invalid"};
constexpr std::array<std::string_view, 8> kVerdicts = {"OK",   "SLOW",  "WRONG",   "OVERSUBSCRIBED",
                                                       "IDLE", "NOISY", "INVALID", "UNDECIDED"};

template <typename Enum, size_t N>
std::optional<Enum> FromName(const std::array<std::string_view, N>& names, std::string_view text) {
  for (size_t i = 0; i < N; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view ToString(CensusStatus status) {
  return kCensusStatuses[static_cast<size_t>(status)];
}
std::optional<CensusStatus> ParseCensusStatus(std::string_view text) {
  return FromName<CensusStatus>(kCensusStatuses, text);
}

std::string_view ToString(SampleStatus status) {
  return kSampleStatuses[static_cast<size_t>(status)];
}
std::optional<SampleStatus> ParseSampleStatus(std::string_view text) {
  return FromName<SampleStatus>(kSampleStatuses, text);
}

std::string_view ToString(Verdict verdict) { return kVerdicts[static_cast<size_t>(verdict)]; }
std::optional<Verdict> ParseVerdict(std::string_view text) {
  return FromName<Verdict>(kVerdicts, text);
}

}  // namespace railgauge
