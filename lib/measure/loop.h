// The measuring loop: posts RDMA requests of one NIC, polls their completions, and counts what
// completes in a window after a warm-up.
//
// The one place where time is taken. It knows no place, cell or file: only queues, keys and
// addresses, so that a test can put a NIC of its own behind the queues.
#ifndef RAILGAUGE_LIB_MEASURE_LOOP_H_
#define RAILGAUGE_LIB_MEASURE_LOOP_H_

#include <infiniband/verbs.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/measure/latency_histogram.h"
#include "lib/measure/shape.h"
#include "lib/record/place.h"

namespace railgauge {

using MeasuringClock = std::chrono::steady_clock;

// One side's memory: `count` slots of `stride` bytes from `address` on.
struct LoopMemory {
  uint64_t address = 0;
  uint32_t key = 0;  // the initiator's lkey, or the target's rkey
  Slots slots;
};

// A window that several loops share: what each of them counts lies inside, where all of them post.
struct CommonWindow {
  MeasuringClock::time_point opens;
  MeasuringClock::time_point ends;
};

// An interval of the window: from the one before it (the first: from the window's start) to a pass
// that found completions, so that its rate has no error from where its edges lie between two.
struct LoopInterval {
  MeasuringClock::time_point end;
  uint64_t completions = 0;  // of the window, so far
};

struct LoopSetup {
  // The initiator's queue pairs; at least shape.queue_pairs, all of which complete into `cq`, and
  // nothing else does. Request i of any queue pair goes to target_numbers of the same index.
  std::span<ibv_qp_ex* const> queue_pairs;
  ibv_cq_ex* cq = nullptr;
  // Where given, the initiator: that it is lost is then noticed long before the stall deadline.
  ibv_context* device = nullptr;
  ibv_ah* target = nullptr;
  std::span<const uint32_t> target_numbers;  // queue pair numbers, one per queue pair used
  uint32_t target_queue_key = 0;
  LoopMemory local;
  LoopMemory remote;
  uint32_t message_size = 0;
  QueueShape shape;
  uint64_t first_slot = 0;  // counted up for every request, modulo each side's slot count

  // The loop stops posting when the window is closed, or when `max_requests` were posted (0: no
  // such limit), whichever comes first.
  Nanoseconds warm_up{0};
  Nanoseconds window{0};         // the window lasts at least this long and
  uint64_t min_completions = 1;  // holds at least so many completions
  uint64_t max_requests = 0;
  // In place of warm_up, min_completions and max_requests. The loop posts until `ends`, also when
  // its window of `window` closed before; what completes from `ends` on is not counted, and a
  // window that is still open then closes with the last pass that found completions.
  std::optional<CommonWindow> common;
  // The edges of the window's intervals are so far apart. They are noted here: there is room for an
  // even number of them, or for none. Where they are more, two become one, and later ones are twice
  // as long.
  Nanoseconds interval{0};
  std::span<LoopInterval> intervals;

  // Where given, at a depth of 1: of a READ, the time of every message of the window, from the
  // clock reading before it is posted to that after it was polled. Of a WRITE, which then carries
  // an immediate and is answered by one like it (answer_loop.h): half of the time until the answer
  // was polled. The next one is posted when its own completion is there, too. The queue pair has
  // room for kExchangeReceives (exchange.h), and none are posted yet.
  LatencyHistogram* latencies = nullptr;

  // Nothing completed for so long while requests were in flight: the NIC is taken for stuck.
  Nanoseconds stall_deadline = std::chrono::seconds{10};
  // Once set, the loop ends at its next pass: another host, which it works with, is gone. Null:
  // nothing does that.
  const std::atomic<bool>* cancelled = nullptr;
};

struct LoopResult {
  // The window: from the poll pass after the warm-up that found completions (which are not counted)
  // to the pass that closed it (counted). A rate between two completions has no error from where
  // the window's edges lie between them.
  MeasuringClock::time_point window_start;
  MeasuringClock::time_point window_end;
  uint64_t window_completions = 0;
  // Time of the window that was spent inside posting, in passes that found completions, and in
  // passes that found none: together the whole of it.
  Nanoseconds window_posting{0};
  Nanoseconds window_polling{0};
  Nanoseconds window_idle{0};
  bool window_closed = false;
  // The longest time between two passes while it counted or was a load for others: the thread did
  // nothing for so long, and the NIC had what was in flight.
  Nanoseconds longest_gap{0};
  size_t interval_count = 0;  // of LoopSetup::intervals; what remains of the window is in none
  Nanoseconds interval{0};    // how far their edges are apart

  uint64_t posted = 0;                 // requests, in all
  uint64_t completed = 0;              // successful ones, in all
  MeasuringClock::time_point drained;  // when the last completion was seen

  enum class Failure {
    kNone,
    kCompletion,  // status and vendor_error are those of the first completion with an error
    kPost,        // error_number is that of ibv_wr_complete(3), or of ibv_post_recv(3)
    kPoll,        // error_number is that of ibv_start_poll(3)
    kStalled,     // the stall deadline passed; requests are still in flight
    kDeviceLost,  // it says so itself; requests are still in flight
    kCancelled,   // LoopSetup::cancelled was set; requests are still in flight
  };
  Failure failure = Failure::kNone;
  ibv_wc_status status = IBV_WC_SUCCESS;
  uint32_t vendor_error = 0;
  int error_number = 0;
  uint64_t in_flight = 0;  // not completed when the loop returned; 0 unless failed
};

// Runs the loop to its end: when it returns without a failure, nothing is in flight. With one, the
// queue pairs are not fit for another run unless in_flight is 0.
LoopResult RunLoop(Operation operation, const LoopSetup& setup);

// The failure in words, about the NIC `device`; empty without one.
std::optional<Error> LoopError(const LoopResult& result, Operation operation,
                               const std::string& device, const LoopSetup& setup);

// That the device itself told to be gone (verbs/device_events.h) while `what` was done with it.
Error DeviceLostError(const std::string& what, const std::string& device);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_LOOP_H_
