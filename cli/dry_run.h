// check --dry-run: what would be measured, in which steps, and how long it takes.
#ifndef RAILGAUGE_CLI_DRY_RUN_H_
#define RAILGAUGE_CLI_DRY_RUN_H_

#include <string>

#include "cli/measuring.h"
#include "cli/session.h"

namespace railgauge {

// Lines of at most 100 columns, each ended by LF.
std::string FormatMeasuringPlan(const Session& session, const MeasuringRequest& request,
                                const Decision& decision);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_DRY_RUN_H_
