#include "lib/measure/group_run.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include "lib/measure/affinity.h"
#include "lib/measure/cpu_wait.h"

namespace railgauge {
namespace {

using TimePoint = MeasuringClock::time_point;

// Where threads wait for each other. The last one to come sets the time; waiting costs no CPU, as
// the others may need this one to get here.
class StartGate {
 public:
  StartGate(size_t expected, Nanoseconds warm_up) : expected_(expected), warm_up_(warm_up) {}

  // When the window opens; empty when not all came in time, for all that did.
  std::optional<TimePoint> Pass() {
    std::unique_lock lock(mutex_);
    ++here_;
    OpenIfComplete();
    const auto done = [&] { return opens_ || closed_; };
    if (!opened_.wait_for(lock, kPatience, done)) {
      closed_ = true;
      opened_.notify_all();
    }
    return opens_;
  }

  // One of those expected will not come.
  void ExpectOneLess() {
    const std::lock_guard lock(mutex_);
    --expected_;
    if (here_ > 0) OpenIfComplete();
  }

 private:
  // A thread needs a time slice to get here, on the busiest of hosts.
  static constexpr std::chrono::seconds kPatience{10};

  void OpenIfComplete() {
    if (here_ < expected_ || closed_) return;
    opens_ = MeasuringClock::now() + warm_up_;
    opened_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable opened_;
  size_t expected_;
  size_t here_ = 0;
  Nanoseconds warm_up_;
  bool closed_ = false;  // somebody's patience ended
  std::optional<TimePoint> opens_;
};

void RunMember(const WindowTiming& timing, StartGate& gate, GroupLoop& member,
               GroupLoopResult& result) {
  ThreadAffinity affinity;
  if (!member.cpus.empty()) {
    if (const Status pinned = affinity.PinTo(member.cpus); !pinned) {
      result.not_pinned = pinned.error();
    }
  }
  const std::optional<TimePoint> opens = gate.Pass();
  if (!opens) {
    result.not_run = MakeError("start measuring threads", "", "they did not all start in time");
    return;
  }
  member.setup.window = timing.window;
  member.setup.common = {*opens, *opens + timing.window + CommonTail(timing.window)};
  const auto before = CpuWaitOfThread();
  result.loop = RunLoop(member.operation, member.setup);
  const auto after = CpuWaitOfThread();
  if (before && after) result.cpu_wait = *after - *before;
}

}  // namespace

std::vector<GroupLoopResult> RunLoopsTogether(std::span<GroupLoop> loops,
                                              const WindowTiming& timing) {
  std::vector<GroupLoopResult> results(loops.size());
  StartGate gate(loops.size(), timing.warm_up);
  std::vector<std::thread> threads;
  threads.reserve(loops.size());
  for (size_t i = 0; i < loops.size(); ++i) {
    try {
      threads.emplace_back([&, i] { RunMember(timing, gate, loops[i], results[i]); });
    } catch (const std::system_error& error) {
      gate.ExpectOneLess();
      results[i].not_run = ErrnoError(error.code().value(), "start a measuring thread", "",
                                      "Raise the limit of processes (ulimit -u)");
    }
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

}  // namespace railgauge
