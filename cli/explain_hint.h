// Where a reader of a bad verdict finds what it rests on.
#ifndef RAILGAUGE_CLI_EXPLAIN_HINT_H_
#define RAILGAUGE_CLI_EXPLAIN_HINT_H_

#include <span>
#include <string>

#include "lib/record/records.h"

namespace railgauge {

// "why: railgauge explain RUNDIR CONSUMER NIC" with its line end, for the first verdict that is not
// OK and of its NICs the one that the reason names; where the reason blames a partner in loopback,
// for that one instead. Empty where all are OK.
std::string ExplainHint(const std::string& directory, std::span<const PlacementRow> placement);

// "page: railgauge report RUNDIR" with its line end; empty in a build without the page.
std::string PageHint(const std::string& directory);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_EXPLAIN_HINT_H_
