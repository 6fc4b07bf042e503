// A trial run of code that we do not trust with its input, in a child process.
//
// hwloc dereferences null on XML files that are well-formed and wrong (an object without its
// cpuset, sets that do not nest), which a file edited by hand easily is. The file is parsed in a
// child first, so that a bad one costs a message and not the run.
#ifndef RAILGAUGE_LIB_TOPOLOGY_TRIAL_H_
#define RAILGAUGE_LIB_TOPOLOGY_TRIAL_H_

#include <chrono>
#include <functional>

#include "lib/base/result.h"

namespace railgauge {

enum class TrialOutcome {
  kTrue,   // the function returned true
  kFalse,  // the function returned false
  kDied,   // a signal or exit() ended it
  kLate,   // it did not end before the deadline, and was killed
};

// Forks, calls `function` in the child with stderr closed to the world, and tells how it ended. The
// function must not rely on other threads (there are none in the child) nor take locks that one of
// them could hold; allocating memory is fine. An Error is a failure to start the child.
Result<TrialOutcome> TryInChild(const std::function<bool()>& function,
                                std::chrono::milliseconds deadline);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_TOPOLOGY_TRIAL_H_
