#include "lib/record/records.h"

#include <algorithm>
#include <array>

#include "lib/record/enum_names.h"

namespace railgauge {
namespace {

constexpr std::array<std::string_view, 6> kCensusStatuses = {
    "ok", "no_id", "cannot_tell", "registration_failed", "skipped", "not_supported"};
constexpr std::array<std::string_view, 12> kSampleStatuses = {"ok",
                                                              "skipped",
                                                              "failed",
                                                              "invalid",
                                                              "wrong_data",
                                                              "wrong_operation",
                                                              "wrong_bytes",
                                                              "foreign_traffic",
                                                              "retransmission_burst",
                                                              "above_ceiling",
                                                              "no_counters",
                                                              "short_window"};
constexpr std::array<std::string_view, 4> kSkipCauses = {"not_possible", "no_time", "interrupted",
                                                         "peer_gone"};
constexpr std::array<std::string_view, 8> kVerdicts = {"OK",   "SLOW",  "WRONG",   "OVERSUBSCRIBED",
                                                       "IDLE", "NOISY", "INVALID", "UNDECIDED"};
constexpr std::array<std::string_view, 3> kSeverities = {"note", "warning", "error"};

}  // namespace

std::string_view ToString(CensusStatus status) { return NameOf(kCensusStatuses, status); }
std::optional<CensusStatus> ParseCensusStatus(std::string_view text) {
  return FromName<CensusStatus>(kCensusStatuses, text);
}

std::string_view ToString(SampleStatus status) { return NameOf(kSampleStatuses, status); }
std::optional<SampleStatus> ParseSampleStatus(std::string_view text) {
  return FromName<SampleStatus>(kSampleStatuses, text);
}

bool IsMeasured(SampleStatus status) {
  return status == SampleStatus::kOk || status == SampleStatus::kNoCounters;
}

bool IsContradicted(SampleStatus status) {
  return !IsMeasured(status) && status != SampleStatus::kSkipped &&
         status != SampleStatus::kFailed && status != SampleStatus::kShortWindow;
}

std::string_view ToString(SkipCause cause) { return NameOf(kSkipCauses, cause); }
std::optional<SkipCause> ParseSkipCause(std::string_view text) {
  return FromName<SkipCause>(kSkipCauses, text);
}

std::string_view ToString(Verdict verdict) { return NameOf(kVerdicts, verdict); }
std::optional<Verdict> ParseVerdict(std::string_view text) {
  return FromName<Verdict>(kVerdicts, text);
}

std::string_view ToString(Severity severity) { return NameOf(kSeverities, severity); }
std::optional<Severity> ParseSeverity(std::string_view text) {
  return FromName<Severity>(kSeverities, text);
}

bool HasFinding(const SummaryRow& row, std::string_view name) {
  for (std::string_view rest = row.findings; !rest.empty();) {
    const size_t end = std::min(rest.find(';'), rest.size());
    if (rest.substr(0, end) == name) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

}  // namespace railgauge
