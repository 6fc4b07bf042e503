// The kinds of finding: what each is called, how much it matters, and what it means. One table, so
// that files, messages and documentation agree.
//
// A finding tells of the machine or of the records; a placement is told of by verdicts. What is
// normal on a machine without a fault is no finding, however odd it looks: nobody has published
// what ids or paths of real machines look like.
#ifndef RAILGAUGE_LIB_PLACEMENT_FINDING_KINDS_H_
#define RAILGAUGE_LIB_PLACEMENT_FINDING_KINDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/record/records.h"

namespace railgauge {

struct FindingKind {
  std::string_view name;  // as in findings.csv
  Severity severity = Severity::kNote;
  std::string_view meaning;  // one sentence
};

inline constexpr FindingKind kFindingKinds[] = {
    // Interconnect ids that contradict their format or each other.
    {"id_above_format", Severity::kError,
     "An interconnect id is above 255, and the device's answer has 8 bits for it."},
    {"census_contradicts_itself", Severity::kError,
     "The census has one NIC, place and registration way several times, with different answers."},
};

// The kind of that name; one that the table lacks does not compile.
consteval const FindingKind& KindNamed(std::string_view name) {
  for (const FindingKind& kind : kFindingKinds) {
    if (kind.name == name) return kind;
  }
  throw "no such kind of finding";
}

// A finding of the kind, with nothing said yet.
inline Finding MakeFinding(const FindingKind& kind) {
  Finding finding;
  finding.kind = kind.name;
  finding.severity = kind.severity;
  return finding;
}

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_FINDING_KINDS_H_
