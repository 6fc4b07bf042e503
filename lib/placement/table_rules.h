// TableRules: what must hold between the columns of a row of what a run worked out: summary.csv,
// placement.csv, interconnects.csv, assignment.csv, findings.csv and groups.csv. As row_rules.h
// for what it recorded. run_table.h reads the files with them.
#ifndef RAILGAUGE_LIB_PLACEMENT_TABLE_RULES_H_
#define RAILGAUGE_LIB_PLACEMENT_TABLE_RULES_H_

#include <optional>
#include <string>
#include <vector>

#include "lib/record/assignment_row.h"
#include "lib/record/load_group.h"
#include "lib/record/records.h"

namespace railgauge {

// Why no run writes such a row; it begins with the column's name. Empty: it may have.
std::optional<std::string> WhyNeverWritten(const SummaryRow& row);
std::optional<std::string> WhyNeverWritten(const PlacementRow& row);
std::optional<std::string> WhyNeverWritten(const InterconnectRow& row);
std::optional<std::string> WhyNeverWritten(const AssignmentRow& row);
std::optional<std::string> WhyNeverWritten(const Finding& row);
std::optional<std::string> WhyNeverWritten(const GroupRow& row);

// What the row is about, of which a file has one row only; empty: it may have several.
std::string KeyOf(const SummaryRow& row);
std::string KeyOf(const PlacementRow& row);
std::string KeyOf(const InterconnectRow& row);
std::string KeyOf(const AssignmentRow& row);
std::string KeyOf(const Finding& row);
std::string KeyOf(const GroupRow& row);

// The NICs that the row names, which are the machine's.
std::vector<NicKey> NicsOf(const SummaryRow& row);
std::vector<NicKey> NicsOf(const PlacementRow& row);
std::vector<NicKey> NicsOf(const InterconnectRow& row);
std::vector<NicKey> NicsOf(const AssignmentRow& row);
std::vector<NicKey> NicsOf(const Finding& row);
std::vector<NicKey> NicsOf(const GroupRow& row);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_TABLE_RULES_H_
