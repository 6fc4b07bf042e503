// What `load` measures: every set's groups at once and their members alone, in rounds, within one
// time budget.
#ifndef RAILGAUGE_CLI_LOADING_H_
#define RAILGAUGE_CLI_LOADING_H_

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/session.h"
#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/measure/far_ends.h"
#include "lib/measure/load_sets.h"
#include "lib/measure/peer_side.h"
#include "lib/record/records.h"
#include "lib/report/run_directory.h"

namespace railgauge {

// A single slowed group among the forty of a p5 is proven by twelve rounds that agree (2^-12,
// adjusted for so many tests), and not by nine.
inline constexpr uint32_t kLoadRounds = 12;

struct LoadPlan {
  std::vector<LoadSet> sets;
  std::map<PciAddress, FarEnd> far_ends;
  WindowTiming timing;
  Nanoseconds budget{0};
  std::string budget_text;  // as the flag gave it
};

// How many rounds decide something, and how many are worth their time.
RoundLimits LoadRoundLimits();

// What the budget has no time for, by the plan: a sentence per set that will not be decided.
std::vector<std::string> WhatHasNoTime(const LoadPlan& plan);

// Takes the samples, set by set; each is in samples.csv before the next window. Stops early, with
// what is there, when interrupted, out of time, when a row could not be written (that is the Error)
// or when the peer is gone. Of a set that did not get enough rounds, the first one that was not
// done has a row per cell that says why. Where windows prove too short for what is in flight, the
// set's later ones are longer, and its rounds begin anew. What was left out, and warnings of the
// engine, are added to the session's notes.
struct Loaded {
  std::vector<Sample> samples;
  Status written;
  bool peer_gone = false;
};
Result<Loaded> MeasureLoad(Session& session, const LoadPlan& plan, RunDirectory& directory,
                           std::unique_ptr<PeerSide> peer);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_LOADING_H_
