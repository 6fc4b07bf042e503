// JudgedRun: a placement judged by what a run recorded, for every command that tells its verdicts.
#ifndef RAILGAUGE_CLI_JUDGED_RUN_H_
#define RAILGAUGE_CLI_JUDGED_RUN_H_

#include <string>
#include <vector>

#include "cli/recorded_runs.h"
#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/placement/judge.h"
#include "lib/record/records.h"

namespace railgauge {

struct JudgedRun {
  Decision decision;
  Judgement judgement;
  std::vector<Finding> findings;
};

// What the run says of `placement` (a policy or a decision's file, as import.h takes it), of the
// places that the run was about. An Error where it names no decision on the run's machine.
Result<JudgedRun> JudgeLoadedRun(const LoadedRun& loaded, const std::string& placement);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_JUDGED_RUN_H_
