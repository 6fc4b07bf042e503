#include "lib/placement/run_judgement.h"

#include "lib/placement/all_findings.h"
#include "lib/placement/evidence.h"

namespace railgauge {

RunJudgement JudgeRun(const Machine& machine, std::span<const CensusRow> census,
                      std::span<const Sample> samples, const Decision& decision,
                      const JudgeGates& gates) {
  const Decision in_order = InOrderOfAddresses(decision);
  const Evidence evidence(machine, census, samples, in_order, gates);
  return {Judge(evidence, decision), AllFindings(evidence, census, samples)};
}

}  // namespace railgauge
