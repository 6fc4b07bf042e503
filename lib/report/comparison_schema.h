// The schema of baseline files and of compare.csv; the rules of schema.h hold.
//
// A baseline is of no host and no instance: those columns of the run are empty, and run_id is that
// of the newest run in it.
#ifndef RAILGAUGE_LIB_REPORT_COMPARISON_SCHEMA_H_
#define RAILGAUGE_LIB_REPORT_COMPARISON_SCHEMA_H_

#include <span>
#include <string_view>

#include "lib/record/comparison_row.h"
#include "lib/report/schema.h"

namespace railgauge {

template <>
std::span<const Column<BaselineRow>> ColumnsOf<BaselineRow>();
template <>
std::span<const Column<ComparisonRow>> ColumnsOf<ComparisonRow>();

template <>
std::string_view FileNameOf<BaselineRow>();
template <>
std::string_view FileNameOf<ComparisonRow>();

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_COMPARISON_SCHEMA_H_
