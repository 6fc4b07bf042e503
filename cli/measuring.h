// What `check` measures: one screening window per cell, then paired rounds of the few pairs that
// the verdicts hang on, within one time budget.
#ifndef RAILGAUGE_CLI_MEASURING_H_
#define RAILGAUGE_CLI_MEASURING_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/session.h"
#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/measure/peer_side.h"
#include "lib/measure/plan.h"
#include "lib/placement/decision.h"
#include "lib/placement/gates.h"
#include "lib/record/records.h"
#include "lib/report/run_directory.h"

namespace railgauge {

struct MeasuringRequest {
  std::vector<Bytes> sizes;
  Nanoseconds budget{0};
};

// The screening of the session's selection, in the share of the budget that leaves room for pairs.
Plan ScreeningPlan(const Session& session, const MeasuringRequest& request);

// Takes every sample that `check` needs, in rounds; each is in samples.csv before the next is
// measured. Stops early, with what is there, when interrupted, when a row could not be written
// (that is the Error) or when the peer is gone (the rows of the plan under way then say so).
// Warnings of the engine are added to the session's notes. Without a peer it measures in loopback.
struct Measured {
  std::vector<Sample> samples;
  Status written;
  bool peer_gone = false;
};
Result<Measured> MeasureForDecision(Session& session, const MeasuringRequest& request,
                                    std::span<const CensusRow> census, const Decision& decision,
                                    const JudgeGates& gates, RunDirectory& directory,
                                    std::unique_ptr<PeerSide> peer);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_MEASURING_H_
