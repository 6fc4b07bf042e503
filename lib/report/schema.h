// The schema of the report files: one table per file, one entry per column.
//
// A column's name, how it is printed from the record and how it is read back stand in one entry, so
// writer, reader and header cannot disagree. Rules, which a golden test holds: columns are only
// ever appended; snake_case names end in their unit; every row starts with the columns of the run
// (schema_version, run_id, host, instance_id, instance_type, platform). Instances for CensusRow
// (census.csv), Sample (samples.csv), InterconnectRow (interconnects.csv), SummaryRow
// (summary.csv), PlacementRow (placement.csv), AssignmentRow (assignment.csv), Finding
// (findings.csv) and GroupRow (groups.csv).
#ifndef RAILGAUGE_LIB_REPORT_SCHEMA_H_
#define RAILGAUGE_LIB_REPORT_SCHEMA_H_

#include <span>
#include <string>
#include <string_view>

#include "lib/record/assignment_row.h"
#include "lib/record/load_group.h"
#include "lib/record/records.h"

namespace railgauge {

// Rises when a column changes its meaning, which has not happened.
inline constexpr uint32_t kSchemaVersion = 1;

template <typename Row>
struct Column {
  std::string_view name;
  std::string (*print)(const Row& row);
  // False when the field holds no such value.
  bool (*parse)(std::string_view field, Row& row);
};

// The columns of a report file after those of the run, and the file's name ("census.csv").
template <typename Row>
std::span<const Column<Row>> ColumnsOf();
template <typename Row>
std::string_view FileNameOf();

// The columns of the run, after schema_version.
template <>
std::span<const Column<RunIdentity>> ColumnsOf<RunIdentity>();

template <>
std::span<const Column<CensusRow>> ColumnsOf<CensusRow>();
template <>
std::span<const Column<Sample>> ColumnsOf<Sample>();
template <>
std::span<const Column<InterconnectRow>> ColumnsOf<InterconnectRow>();
template <>
std::span<const Column<SummaryRow>> ColumnsOf<SummaryRow>();
template <>
std::span<const Column<PlacementRow>> ColumnsOf<PlacementRow>();
template <>
std::span<const Column<AssignmentRow>> ColumnsOf<AssignmentRow>();
template <>
std::span<const Column<Finding>> ColumnsOf<Finding>();
template <>
std::span<const Column<GroupRow>> ColumnsOf<GroupRow>();

template <>
std::string_view FileNameOf<CensusRow>();
template <>
std::string_view FileNameOf<Sample>();
template <>
std::string_view FileNameOf<InterconnectRow>();
template <>
std::string_view FileNameOf<SummaryRow>();
template <>
std::string_view FileNameOf<PlacementRow>();
template <>
std::string_view FileNameOf<AssignmentRow>();
template <>
std::string_view FileNameOf<Finding>();
template <>
std::string_view FileNameOf<GroupRow>();

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_SCHEMA_H_
