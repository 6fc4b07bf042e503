// A baseline file read back, held to what `baseline make` can have written: it is kept for months,
// edited and merged, and every run is judged by it.
#ifndef RAILGAUGE_LIB_COMPARE_BASELINE_FILE_H_
#define RAILGAUGE_LIB_COMPARE_BASELINE_FILE_H_

#include <optional>
#include <string>

#include "lib/base/result.h"
#include "lib/compare/baseline.h"
#include "lib/record/comparison_row.h"

namespace railgauge {

// Why no baseline has such a row; it begins with the column's name. Empty: it may have.
std::optional<std::string> WhyNeverWritten(const BaselineRow& row);

// Errors, with file and line: it cannot be read, is cut off or has no row; a row that
// WhyNeverWritten tells of, of a cell that a row before it is of, measured in another way than the
// first, or of a host.
Result<Baseline> ReadBaselineFile(const std::string& path);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_COMPARE_BASELINE_FILE_H_
