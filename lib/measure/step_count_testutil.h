// CountSteps: what a piece of code executes, instruction by instruction.
//
// The code runs in a child process that is single-stepped (ptrace(2)), so the counts are exact and
// the same on every run, whatever else the host does; a virtual machine need not show a counter of
// its CPU, and nothing has to be installed. Every system call is seen, and every entry of a
// function that allocates or locks, whoever calls it: no wrapper has to be linked in, so the code
// is the one that ships. A step takes microseconds: count thousands, not millions.
#ifndef RAILGAUGE_LIB_MEASURE_STEP_COUNT_TESTUTIL_H_
#define RAILGAUGE_LIB_MEASURE_STEP_COUNT_TESTUTIL_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "lib/base/result.h"

namespace railgauge {

struct StepCount {
  uint64_t instructions = 0;  // in all
  uint64_t in_program = 0;    // of those: of this executable, without what `excluded` names
  uint64_t in_excluded = 0;
  // The rest is of shared libraries and the kernel's vDSO: the clock.

  std::map<long, uint64_t> system_calls;            // by number
  std::map<std::string, uint64_t> forbidden_calls;  // "malloc", "pthread_mutex_lock", …
};

// To be called by `body`, once each: what lies between them is counted.
void BeginSteps();
void EndSteps();

// Runs `body` in a child. Errors: this platform or its rules (ptrace) do not allow it, or `body`
// never reached both marks.
Result<StepCount> CountSteps(const std::function<void()>& body,
                             const std::function<bool(uint64_t address)>& excluded);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_STEP_COUNT_TESTUTIL_H_
