// What commands print of the findings: a short list.
#ifndef RAILGAUGE_LIB_REPORT_FINDING_LIST_H_
#define RAILGAUGE_LIB_REPORT_FINDING_LIST_H_

#include <span>
#include <string>

#include "lib/record/records.h"
#include "lib/report/text_matrix.h"

namespace railgauge {

// One paragraph per finding, in their order: severity and kind, and the sentence; of more than
// three of one kind the first three and how many more there are. Then a line with the number of
// each severity. Nothing where there is none.
std::string FormatFindings(std::span<const Finding> findings, const MatrixOptions& options = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_FINDING_LIST_H_
