// Measuring loops that run at once, one per thread, on a common start.
//
// What NICs do to each other shows only where all of them are under load. So no loop begins before
// all threads stand ready, all have the same window of the clock, each posts until it ends, and
// what a loop counts lies inside (CommonWindow of loop.h).
#ifndef RAILGAUGE_LIB_MEASURE_GROUP_RUN_H_
#define RAILGAUGE_LIB_MEASURE_GROUP_RUN_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/measure/loop.h"
#include "lib/measure/plan.h"
#include "lib/record/place.h"

namespace railgauge {

struct GroupLoop {
  Operation operation = Operation::kRead;
  LoopSetup setup;             // `window` and `common` are set by RunLoopsTogether
  std::vector<uint32_t> cpus;  // that its thread may run on (OS indexes); empty: any
};

struct GroupLoopResult {
  LoopResult loop;
  std::optional<Nanoseconds> cpu_wait;  // of its thread, see cpu_wait.h
  std::optional<Error> not_pinned;      // it ran nevertheless, anywhere
  std::optional<Error> not_run;         // there was no thread for it, or no common start
};

// How much longer than a member's window the common one is: so that a window can close with the
// first completion behind its end, as one that is alone does, while all still post.
inline Nanoseconds CommonTail(Nanoseconds window) { return window / 4; }

// The common window opens `timing.warm_up` after the last thread stood ready, and is
// `timing.window` and its tail long. Each loop ends by its own stall deadline whatever the others
// do. Results are in the order of `loops`.
std::vector<GroupLoopResult> RunLoopsTogether(std::span<GroupLoop> loops,
                                              const WindowTiming& timing);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_GROUP_RUN_H_
