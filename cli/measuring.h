// What `check` measures: one screening window per cell, more windows of the cells that are in doubt
// then, and paired rounds of the few pairs that the verdicts hang on, within one time budget.
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
  std::string budget_text;  // as the user wrote it
};

// What will be measured and the most time that it takes, step by step. Only the screening is known
// before anything is measured; what the others have to do depends on what it shows.
struct MeasuringPlan {
  Plan screening;
  Nanoseconds screening_time{0};
  struct Step {
    Nanoseconds most{0};
    size_t windows = 0;  // that fit in it
  };
  Step more_windows;
  Step paired_rounds;
  Step more_rounds;  // what the paired rounds leave is for these, too
};
inline constexpr uint32_t kPairedRounds = 9;
inline constexpr uint32_t kMoreRounds = 6;  // when nine were too noisy: fifteen in all

// The plan of the session's selection. The screening has the share of the budget that leaves room
// for pairs; where that is too short for all, it has what the decision claims, and all NICs of as
// many of its consumers, in their order, as there is time for.
MeasuringPlan PlanMeasuring(const Session& session, const MeasuringRequest& request,
                            const Decision& decision);

// Takes every sample that `check` needs, in rounds; each is in samples.csv before the next is
// measured. Stops early, with what is there, when interrupted, when a row could not be written
// (that is the Error) or when the peer is gone (the rows of the plan under way then say so).
// Warnings of the engine are added to the session's notes. Without a peer it measures in loopback.
// Every cell of the screening has a row: one that was not reached is skipped, with the cause.
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
