// CatchUp: what the host was late with is not charged to the emulated machine.
//
// A poller that was not scheduled for 3 ms completes late, the application posts its next requests
// late, and resources that ought to have been busy were idle: in a closed loop that time would be
// lost, and a busy host would look like a slow NIC. So a request that follows a late completion
// uses what its resources had to spare since it would have been posted (flow_network.h). No
// resource serves more than its capacity in this account of time, and no request takes less than
// the base latency.
//
// What is caught up is bounded, since a measuring window that begins right after a delay sees it on
// top of its own, and of what was in flight: 0.5 ms of the line rate are 5 % of a window of 10 ms,
// which is what the tools bear before they call a rate impossible. Of the shortest that they take
// on a small budget, 5 ms, they are twice that: one of some hundred of these may be called so.
// Wake-ups and short preemptions cost nothing then; what a long one takes beyond that shows as a
// lower rate, never as a higher one.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_CATCH_UP_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_CATCH_UP_H_

#include <algorithm>

#include "lib/emulator/device/sim_time.h"

namespace railgauge::efa {

class CatchUp {
 public:
  static constexpr SimTime kMost = ToSimTime(Nanoseconds(500'000));
  // An application that pauses for longer does not go on where it was.
  static constexpr SimTime kPause = ToSimTime(Nanoseconds(1'000'000));

  // A request that should have completed at `scheduled` does so at `now`.
  void OnCompleted(SimTime scheduled, SimTime now) {
    completed_at_ = now;
    behind_ = std::clamp(now - scheduled, SimTime{0}, kMost);
  }

  // When a request that is posted at `now` would have been posted. The poller should have been here
  // `overdue` ago and was not: the application, on the same host, may just have been stopped too.
  SimTime PostedAt(SimTime now, SimTime overdue) const {
    if (now - overdue - completed_at_ > kPause) return now;
    return now - std::clamp(overdue, behind_, kMost);
  }

 private:
  SimTime completed_at_ = 0;
  SimTime behind_ = 0;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_CATCH_UP_H_
