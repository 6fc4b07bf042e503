// RowRules: what must hold between the columns of one recorded row.
//
// Files are edited, mixed and cut off on their way to who judges them, and a row that a run cannot
// have written must not be believed. These are the only rules about rows: all commands that read a
// recording have them through consistency.h. What several rows must have in common is there.
//
// Pure. Every column of samples.csv and census.csv is held by a rule, or is said to be free, in
// HeldColumns(), which a test holds to the schema and to what happens when the column is changed.
#ifndef RAILGAUGE_LIB_PLACEMENT_ROW_RULES_H_
#define RAILGAUGE_LIB_PLACEMENT_ROW_RULES_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/record/records.h"

namespace railgauge {

// A status that contradicts the window, and why.
struct SelfContradiction {
  SampleStatus status = SampleStatus::kInvalid;
  std::string reason;
};

// Of a sample whose rate would be evidence (IsMeasured): the figures of its window fit each other.
// Empty when they do, and for any other sample. A contradicted window counts as not valid.
std::optional<SelfContradiction> FindSelfContradiction(const Sample& sample);

// Why no run writes such a row, whatever else it says: words that do not fit each other, and values
// that nothing has. It begins with the column's name. Empty for a row that a run can have written.
// A file with such a row is refused.
std::optional<std::string> WhyNeverWritten(const Sample& sample);
std::optional<std::string> WhyNeverWritten(const CensusRow& row);

// How a changed column is noticed.
enum class HeldBy {
  kRow,   // by the other columns of the row
  kRun,   // by the other rows of the run, or its machine
  kFree,  // not at all: nothing else says it
};
struct HeldColumn {
  std::string_view column;
  HeldBy by = HeldBy::kFree;
  std::string_view rule;  // what must hold; of a free one why nothing can
};
template <typename Row>
std::span<const HeldColumn> HeldColumns();
template <>
std::span<const HeldColumn> HeldColumns<Sample>();
template <>
std::span<const HeldColumn> HeldColumns<CensusRow>();

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_ROW_RULES_H_
