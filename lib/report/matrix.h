// What `census` and `check` print for people: the NIC × place matrices and the verdicts.
#ifndef RAILGAUGE_LIB_REPORT_MATRIX_H_
#define RAILGAUGE_LIB_REPORT_MATRIX_H_

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "lib/record/assignment_row.h"
#include "lib/record/records.h"
#include "lib/report/text_matrix.h"
#include "lib/topology/machine.h"

namespace railgauge {

// Relation and interconnect ids of every NIC and place, NICs by switch, with a legend. Ids are
// shown as letters, because they mean only "equal" and "different" within one NIC and field: the
// first id of a NIC's row is a, the next other one b; census.csv has the numbers. NICs and places
// without a census row are left out.
std::string FormatCensus(const Machine& machine, std::span<const CensusRow> census,
                         const MatrixOptions& options = {});

// Median throughput of every NIC and place, one matrix per operation and direction, at the largest
// size that was measured alone; the letter is that of the id in FormatCensus. A matrix in which
// nothing was measured is one line with the reason.
std::string FormatThroughput(const Machine& machine, std::span<const CensusRow> census,
                             std::span<const SummaryRow> summary,
                             const MatrixOptions& options = {});

// One paragraph per row: the verdict, the consumer and the sentence.
std::string FormatVerdictRows(std::span<const PlacementRow> placement,
                              const MatrixOptions& options = {});

// How often each verdict was given.
using VerdictCounts = std::map<Verdict, size_t>;
VerdictCounts CountVerdicts(std::span<const PlacementRow> placement);
// "7 OK, 1 WRONG"; "No consumer was judged." for none.
std::string FormatCounts(const VerdictCounts& counts);

// The rows, and a line with the counts.
std::string FormatVerdicts(std::span<const PlacementRow> placement,
                           const MatrixOptions& options = {});

// "the whole placement is WRONG, 49 % lost by the slowest and 12 % on average: …", wrapped.
std::string FormatWhole(const AssignmentRow& whole, const MatrixOptions& options = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_MATRIX_H_
