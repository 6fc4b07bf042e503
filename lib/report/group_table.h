// What `load` prints for people: a table of groups, and a sentence for each that is not simply
// independent.
#ifndef RAILGAUGE_LIB_REPORT_GROUP_TABLE_H_
#define RAILGAUGE_LIB_REPORT_GROUP_TABLE_H_

#include <span>
#include <string>

#include "lib/record/load_group.h"
#include "lib/report/text_matrix.h"

namespace railgauge {

// `title` and a line per row, in its order; then the sentences, equal ones once. No line is longer
// than options.width.
std::string FormatGroups(const std::string& title, std::span<const GroupRow> rows,
                         const MatrixOptions& options = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_GROUP_TABLE_H_
