// Reads a run directory for its page. Tolerant: a run that was killed has no summary.csv, and its
// page shows what is there, names what is not, and says what is wrong by the rules that the
// commands which judge have (lib/placement/consistency.h, run_table.h).
#ifndef RAILGAUGE_LIB_REPORT_HTML_RUN_PAGE_H_
#define RAILGAUGE_LIB_REPORT_HTML_RUN_PAGE_H_

#include <span>
#include <string>

#include "lib/base/result.h"
#include "lib/record/records.h"
#include "lib/report/html/page.h"

namespace railgauge {

// An Error where the directory holds no file of a run at all. A file that is there and cannot be
// read, or is of another run, is left out, and its PageFile says why; of census.csv and samples.csv
// the rows before what is wrong are kept, and windows that contradict themselves show as not valid.
// A file that is missing has no rows. Of a run without run.json the machine is taken from
// topology.xml.
Result<PageData> ReadRunForPage(const std::string& directory, const std::string& generator);

// What was judged of a run to be shown on its page, and is in none of its files.
struct PageVerdicts {
  std::string decision;  // "nearest", "decision.csv"
  std::span<const SummaryRow> summary;
  std::span<const PlacementRow> placement;
  std::span<const InterconnectRow> interconnects;
  std::span<const AssignmentRow> assignment;
  std::span<const Finding> findings;
};

// Shows `verdicts` instead of what the run's own files say, and whatever is wrong with those.
void ShowVerdicts(const PageVerdicts& verdicts, PageData& data);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_HTML_RUN_PAGE_H_
