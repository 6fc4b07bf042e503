// MeasuringSession: runs that are measured one after the other: `railgauge serve` is started on
// their targets, `railgauge check` on each run's initiator, and all that was started is ended.
//
// Nothing here waits: the owner calls Advance now and then, and every state has a deadline, so that
// a node which hangs, or a launcher that does, costs this session alone. What runs at a node has a
// deadline of its own (--deadline), and ends even where this process and the launcher are lost.
#ifndef RAILGAUGE_LIB_FLEET_MEASURING_SESSION_H_
#define RAILGAUGE_LIB_FLEET_MEASURING_SESSION_H_

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/fleet/child_process.h"
#include "lib/fleet/fleet_plan.h"
#include "lib/fleet/fleet_tree.h"
#include "lib/fleet/launch_template.h"

namespace railgauge {

using SessionClock = std::chrono::steady_clock;

struct LaunchSettings {
  LaunchTemplate launch;
  std::string railgauge;  // its path at the nodes
  // From the launch of a server to its word that it serves.
  Nanoseconds start_deadline = std::chrono::minutes{2};
  // Of one check, beyond its --time-budget.
  Nanoseconds check_overhead = std::chrono::minutes{2};
  // From the request to end to the end.
  Nanoseconds grace = std::chrono::seconds{20};
};

struct MeasuringStep {
  PlannedPair pair;
  std::vector<std::string> check_flags;
  Nanoseconds budget{0};  // the --time-budget among them
  std::string output;     // the run directory; one that is there is put aside
};

struct MeasuringPlanOf {
  std::string name;  // of its logs: "n1-with-n2"
  std::vector<MeasuringStep> steps;
};

class MeasuringSession {
 public:
  // All must outlive it.
  MeasuringSession(const FleetPlan& plan, const FleetTree& tree, const LaunchSettings& settings,
                   MeasuringPlanOf what);

  const std::string& name() const { return what_.name; }
  const std::vector<MeasuringStep>& steps() const { return what_.steps; }
  // Which nodes it needs to itself.
  std::set<size_t> Nodes() const;

  // Does what can be done without waiting.
  void Advance(SessionClock::time_point now);
  // Ends it early: the check is asked to end with what it has.
  void Stop(SessionClock::time_point now, const std::string& why);

  bool done() const { return state_ == State::kDone; }
  // Once it is done: how many steps are whole, and why not all; which node failed, where it is
  // known.
  size_t whole_steps() const { return step_; }
  const std::string& failure() const { return failure_; }
  std::optional<size_t> culprit() const { return culprit_; }

 private:
  enum class State { kNew, kStarting, kChecking, kEnding, kDone };

  // A program at a node, and until when it may be in its present state.
  struct Launched {
    size_t node = 0;
    std::string log;
    ChildProcess process;
    SessionClock::time_point deadline;
    bool asked_to_end = false;
    int port = 0;  // of a server, once it serves
  };

  Result<Launched> Launch(size_t node, const std::string& role, std::vector<std::string> command,
                          SessionClock::time_point deadline);
  void StartServers(SessionClock::time_point now);
  void AwaitServers(SessionClock::time_point now);
  void StartCheck(SessionClock::time_point now);
  void AwaitCheck(SessionClock::time_point now);
  void AwaitEnds(SessionClock::time_point now);
  void BeginEnding(SessionClock::time_point now);
  void Abandon(std::string why, std::optional<size_t> culprit, SessionClock::time_point now);
  Nanoseconds WholeTime() const;

  const FleetPlan& plan_;
  const FleetTree& tree_;
  const LaunchSettings& settings_;
  MeasuringPlanOf what_;
  State state_ = State::kNew;
  size_t step_ = 0;                     // the one under way; those before it are whole
  size_t attempts_ = 0;                 // at it
  std::map<size_t, Launched> servers_;  // by node
  std::optional<Launched> check_;
  std::string failure_;
  std::optional<size_t> culprit_;
};

// The last line that railgauge left in its log, and else the launcher, for a person; empty for
// none.
std::string LastLineOf(const std::string& log);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_MEASURING_SESSION_H_
