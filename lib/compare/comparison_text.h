// A comparison as people read it: a line per NIC that differs, one for all that do not, and a
// sentence per NIC and verdict.
#ifndef RAILGAUGE_LIB_COMPARE_COMPARISON_TEXT_H_
#define RAILGAUGE_LIB_COMPARE_COMPARISON_TEXT_H_

#include <string>

#include "lib/compare/compare.h"

namespace railgauge {

// Lines of at most 100 columns. Of a NIC's cells in one operation and direction the worst verdict
// is shown, with the ratio that is farthest out among the cells that have it; where it is SAME,
// with the median ratio.
std::string FormatComparison(const RunComparison& comparison);

// "SLOWER: of 1280 cells, 40 SLOWER, 1240 SAME".
std::string WholeOf(const RunComparison& comparison);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_COMPARE_COMPARISON_TEXT_H_
