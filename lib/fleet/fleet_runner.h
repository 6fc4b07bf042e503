// RunSessions: measuring sessions at once where they need different nodes, started in their order.
#ifndef RAILGAUGE_LIB_FLEET_FLEET_RUNNER_H_
#define RAILGAUGE_LIB_FLEET_FLEET_RUNNER_H_

#include <cstddef>
#include <functional>
#include <list>

#include "lib/fleet/measuring_session.h"

namespace railgauge {

struct RunnerOptions {
  size_t parallel = 64;  // sessions at once
  std::function<bool()> interrupted = [] { return false; };
  // Called with each session that began, once it is done.
  std::function<void(const MeasuringSession&)> ended = [](const MeasuringSession&) {};
};

// Returns when all are done; after an interrupt, when those that had begun are. A session waits for
// the nodes of those before it, so that a node is in one session at a time.
void RunSessions(std::list<MeasuringSession> sessions, const RunnerOptions& options);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_FLEET_RUNNER_H_
