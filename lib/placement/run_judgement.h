// RunJudgement: all that is said of a decision on a run, verdicts and findings, from one weighing
// of its records.
#ifndef RAILGAUGE_LIB_PLACEMENT_RUN_JUDGEMENT_H_
#define RAILGAUGE_LIB_PLACEMENT_RUN_JUDGEMENT_H_

#include <span>
#include <vector>

#include "lib/placement/decision.h"
#include "lib/placement/gates.h"
#include "lib/placement/judge.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct RunJudgement {
  Judgement judgement;
  std::vector<Finding> findings;
};

// What Judge and AllFindings say; both weigh the same evidence, so it is made once.
RunJudgement JudgeRun(const Machine& machine, std::span<const CensusRow> census,
                      std::span<const Sample> samples, const Decision& decision,
                      const JudgeGates& gates = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_RUN_JUDGEMENT_H_
