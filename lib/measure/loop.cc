#include "lib/measure/loop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "fmt/core.h"
#include "lib/measure/exchange.h"
#include "lib/measure/slot_walk.h"
#include "lib/verbs/completion_status.h"
#include "lib/verbs/device_events.h"

namespace railgauge {
namespace {

using TimePoint = MeasuringClock::time_point;

constexpr uint32_t kMaxQueuePairs = 64;
constexpr uint32_t kCompletionsPerPass = 64;
// Without completions for so long, and every time so long again, the device is asked for events.
constexpr Nanoseconds kEventInterval = std::chrono::milliseconds{100};

// Invariants, where "in flight" is posted and not yet polled:
//  1. Queue pair i has credits_[i] = shape.DepthOf(i) - its requests in flight, never negative: no
//     send queue and no completion queue can overflow.
//  2. Every request is signalled, and its wr_id is the index of its queue pair: completions come in
//     any order, and each gives back one credit to the right queue pair.
//  3. Requests are posted in lists: one doorbell per list. After filling, every queue pair has
//     fewer credits than a list, so at least three quarters of the depth is in flight.
//  4. A pass polls at most 64 completions before posting again. It reads the clock once, and once
//     more in the window where it posted, between posting and polling: these two readings share
//     all of the window out between posting, polling, and polling in vain.
//  5. The phase only moves forward: warm-up, window, load, drain. Only drain ends the loop, and it
//     ends with nothing in flight, or with a failure.
//  6. An interval ends with the first completions at its edge or after it; there is always room for
//     one more.
//  7. Nothing here allocates, locks, logs, or calls through a virtual function.
//  8. Of a timed WRITE, "its completion" above is the later of two: its own, and that of the
//  receive
//     request which the answer used up, in whose place another was posted.
template <Operation kOperation, bool kLatency = false>
class Loop {
  static constexpr bool kExchange = kLatency && kOperation == Operation::kWrite;

 public:
  explicit Loop(const LoopSetup& setup)
      : setup_(setup),
        local_(setup.local, setup.first_slot),
        remote_(setup.remote, setup.first_slot) {
    result_.interval = setup.interval;
  }

  LoopResult Run() {
    for (uint32_t i = 0; i < setup_.shape.queue_pairs; ++i) credits_[i] = setup_.shape.DepthOf(i);
    TimePoint now = MeasuringClock::now();
    window_opens_ = setup_.common ? setup_.common->opens : now + setup_.warm_up;
    last_progress_ = now;
    if constexpr (kExchange) PostReceives();
    while (true) {
      const TimePoint last_pass = now;
      const TimePoint polls_from = phase_ == Phase::kDrain ? now : Fill(now);
      const uint32_t completions = Poll();
      now = MeasuringClock::now();
      if constexpr (kExchange) {
        if (std::exchange(answer_came_, false)) answered_at_ = now;
      }
      if (phase_ == Phase::kWindow || phase_ == Phase::kLoad) {
        result_.longest_gap = std::max<Nanoseconds>(result_.longest_gap, now - last_pass);
      }
      if (setup_.common && now >= setup_.common->ends) EndCommonWindow();
      if (completions > 0) {
        last_progress_ = now;
        Advance(now, now - polls_from, completions);
      } else {
        vain_ += now - polls_from;
      }
      if (result_.in_flight == 0 && phase_ == Phase::kDrain) break;
      // A queue that cannot be polled is never drained.
      if (result_.failure == LoopResult::Failure::kPoll) break;
      if (now - last_progress_ > kEventInterval && IsOver(now)) break;
      if (setup_.cancelled != nullptr && setup_.cancelled->load(std::memory_order_relaxed)) {
        Fail(LoopResult::Failure::kCancelled);
        break;
      }
    }
    result_.drained = last_progress_;
    return result_;
  }

 private:
  // kLoad: the window is closed, and others that share it count on the load.
  enum class Phase { kWarmUp, kWindow, kLoad, kDrain };

  // Posts lists until no queue pair has the credits for one (invariant 3). Returns when polling
  // begins (invariant 4).
  TimePoint Fill(TimePoint now) {
    bool posted = false;
    for (uint32_t i = 0; i < setup_.shape.queue_pairs; ++i) {
      while (credits_[i] >= setup_.shape.batch && phase_ != Phase::kDrain) {
        posted = true;
        PostList(i);
      }
    }
    if constexpr (kLatency) posted_at_ = posted ? now : posted_at_;
    if (!posted || phase_ != Phase::kWindow) return now;
    const TimePoint polls_from = MeasuringClock::now();
    posting_ += polls_from - now;
    return polls_from;
  }

  void PostList(uint32_t index) {
    uint64_t count = setup_.shape.batch;
    if (setup_.max_requests != 0) {
      count = std::min(count, setup_.max_requests - result_.posted);
    }
    ibv_qp_ex* qp = setup_.queue_pairs[index];
    ibv_wr_start(qp);
    for (uint64_t i = 0; i < count; ++i) {
      qp->wr_id = index;
      qp->wr_flags = IBV_SEND_SIGNALED;
      const uint64_t remote = remote_.Next();
      if constexpr (kOperation == Operation::kRead) {
        ibv_wr_rdma_read(qp, setup_.remote.key, remote);
      } else if constexpr (kExchange) {
        ibv_wr_rdma_write_imm(qp, setup_.remote.key, remote, 0);
      } else {
        ibv_wr_rdma_write(qp, setup_.remote.key, remote);
      }
      ibv_wr_set_ud_addr(qp, setup_.target, setup_.target_numbers[index], setup_.target_queue_key);
      ibv_wr_set_sge(qp, setup_.local.key, local_.Next(), setup_.message_size);
    }
    if (const int error = ibv_wr_complete(qp); error != 0) {
      result_.error_number = error;  // nothing of the list was posted
      Fail(LoopResult::Failure::kPost);
      return;
    }
    if constexpr (kExchange) own_done_ = answer_done_ = false;
    credits_[index] -= static_cast<uint32_t>(count);
    result_.in_flight += count;
    result_.posted += count;
    if (result_.posted == setup_.max_requests) phase_ = Phase::kDrain;
  }

  // One pass. Returns the completions found, those with an error included.
  uint32_t Poll() {
    ibv_poll_cq_attr attributes = {};
    int error = ibv_start_poll(setup_.cq, &attributes);
    if (error == ENOENT) return 0;
    if (error != 0) {
      FailPoll(error);
      return 0;
    }
    uint32_t count = 0;
    while (true) {
      if constexpr (kExchange) {
        count += TakePart() ? 1 : 0;
      } else {
        Take(setup_.cq->wr_id);
        ++count;
      }
      if (count == kCompletionsPerPass) break;
      error = ibv_next_poll(setup_.cq);
      if (error == 0) continue;
      if (error != ENOENT) FailPoll(error);
      break;
    }
    ibv_end_poll(setup_.cq);
    return count;
  }

  void Take(uint64_t queue_pair) {
    ++credits_[queue_pair];
    --result_.in_flight;
    if (setup_.cq->status == IBV_WC_SUCCESS) {
      ++result_.completed;
      return;
    }
    if (result_.failure == LoopResult::Failure::kNone) {
      result_.status = setup_.cq->status;
      result_.vendor_error = ibv_wc_read_vendor_err(setup_.cq);
    }
    Fail(LoopResult::Failure::kCompletion);
  }

  void PostReceives() {
    for (uint32_t i = 0; i < kExchangeReceives; ++i) PostOneReceive();
  }

  void PostOneReceive() {
    const int error = PostReceive(setup_.queue_pairs[0], setup_.local.address, setup_.local.key);
    if (error == 0) return;
    result_.error_number = error;
    Fail(LoopResult::Failure::kPost);
  }

  // One of the two completions of an exchange (invariant 8). Returns whether that ends it.
  bool TakePart() {
    const bool answer = setup_.cq->wr_id == kReceiveId;
    if (setup_.cq->status != IBV_WC_SUCCESS) {
      // Whichever it is, nothing more comes of the request; of receive requests several may fail.
      if (result_.in_flight > 0) Take(0);
      return true;
    }
    if (answer) {
      answer_done_ = answer_came_ = true;
      PostOneReceive();
    } else {
      own_done_ = true;
    }
    if (!answer_done_ || !own_done_) return false;
    Take(0);
    return true;
  }

  // Nothing has completed for a while: whether to go on waiting.
  bool IsOver(TimePoint now) {
    if (setup_.device != nullptr && now - asked_ > kEventInterval) {
      asked_ = now;
      if (TakeDeviceFatal(setup_.device)) Fail(LoopResult::Failure::kDeviceLost);
    }
    if (now - last_progress_ > setup_.stall_deadline) Fail(LoopResult::Failure::kStalled);
    return result_.failure == LoopResult::Failure::kDeviceLost ||
           result_.failure == LoopResult::Failure::kStalled;
  }

  void Advance(TimePoint now, Nanoseconds polling, uint32_t completions) {
    if (phase_ == Phase::kWarmUp && now >= window_opens_) {
      phase_ = Phase::kWindow;
      result_.window_start = now;
      posting_ = vain_ = Nanoseconds{0};
      if (!setup_.intervals.empty()) interval_ends_ = now + result_.interval;
    } else if (phase_ == Phase::kWindow) {
      if constexpr (kExchange) {
        setup_.latencies->Record((answered_at_ - posted_at_) / 2);
      } else if constexpr (kLatency) {
        setup_.latencies->Record(now - posted_at_);
      }
      result_.window_completions += completions;
      result_.window_end = now;
      result_.window_polling += polling;
      result_.window_posting += std::exchange(posting_, Nanoseconds{0});
      result_.window_idle += std::exchange(vain_, Nanoseconds{0});
      if (now >= interval_ends_) EndInterval(now);
      if (now - result_.window_start >= setup_.window &&
          (setup_.common || result_.window_completions >= setup_.min_completions)) {
        result_.window_closed = true;
        phase_ = setup_.common ? Phase::kLoad : Phase::kDrain;
      }
    }
  }

  void EndCommonWindow() {
    if (phase_ == Phase::kWindow) result_.window_closed = result_.window_completions > 0;
    phase_ = Phase::kDrain;
  }

  void EndInterval(TimePoint now) {
    const std::span<LoopInterval> intervals = setup_.intervals;
    intervals[result_.interval_count++] = {now, result_.window_completions};
    if (result_.interval_count == intervals.size()) {
      // Full: of every two, the end of the second is kept.
      result_.interval_count /= 2;
      result_.interval *= 2;
      for (size_t i = 0; i < result_.interval_count; ++i) intervals[i] = intervals[2 * i + 1];
    }
    // The first edge that is still to come.
    interval_ends_ += ((now - interval_ends_) / result_.interval + 1) * result_.interval;
  }

  void FailPoll(int error) {
    result_.error_number = error;
    Fail(LoopResult::Failure::kPoll);
  }

  void Fail(LoopResult::Failure failure) {
    if (result_.failure == LoopResult::Failure::kNone) result_.failure = failure;
    phase_ = Phase::kDrain;
  }

  const LoopSetup& setup_;
  SlotWalk local_;
  SlotWalk remote_;
  LoopResult result_;
  Phase phase_ = Phase::kWarmUp;
  TimePoint window_opens_;
  TimePoint last_progress_;
  TimePoint asked_;        // for events
  TimePoint posted_at_;    // of the request in flight, for latencies
  TimePoint answered_at_;  // and of an exchange:
  bool own_done_ = false;
  bool answer_done_ = false;
  bool answer_came_ = false;  // in this pass
  Nanoseconds posting_{0};    // since completions were last found
  Nanoseconds vain_{0};       // and in passes that found none
  TimePoint interval_ends_ = TimePoint::max();
  std::array<uint32_t, kMaxQueuePairs> credits_{};
};

}  // namespace

LoopResult RunLoop(Operation operation, const LoopSetup& setup) {
  RAILGAUGE_CHECK(setup.shape.queue_pairs <= kMaxQueuePairs);
  RAILGAUGE_CHECK(setup.shape.queue_pairs <= setup.queue_pairs.size());
  RAILGAUGE_CHECK(setup.shape.queue_pairs <= setup.target_numbers.size());
  RAILGAUGE_CHECK(setup.intervals.size() % 2 == 0);
  RAILGAUGE_CHECK(setup.intervals.empty() || setup.interval > Nanoseconds{0});
  RAILGAUGE_CHECK(setup.local.slots.count > 0 && setup.remote.slots.count > 0);
  if (setup.latencies != nullptr) {
    RAILGAUGE_CHECK(setup.shape.depth == 1);
    if (operation == Operation::kWrite) return Loop<Operation::kWrite, true>(setup).Run();
    return Loop<Operation::kRead, true>(setup).Run();
  }
  if (operation == Operation::kRead) return Loop<Operation::kRead>(setup).Run();
  return Loop<Operation::kWrite>(setup).Run();
}

Error DeviceLostError(const std::string& what, const std::string& device) {
  return MakeError(what, device, "the device is lost: it was removed or reset",
                   "Look for messages of the efa driver in the kernel log");
}

std::optional<Error> LoopError(const LoopResult& result, Operation operation,
                               const std::string& device, const LoopSetup& setup) {
  const std::string what = fmt::format("rdma {}", ToString(operation));
  switch (result.failure) {
    case LoopResult::Failure::kNone:
      return std::nullopt;
    case LoopResult::Failure::kCompletion:
      return CompletionError(what, device, result.status, result.vendor_error);
    case LoopResult::Failure::kPost:
      return ErrnoError(result.error_number, what + ": ibv_wr_complete", device);
    case LoopResult::Failure::kPoll:
      return ErrnoError(result.error_number, what + ": ibv_start_poll", device);
    case LoopResult::Failure::kStalled:
      if (setup.latencies != nullptr && operation == Operation::kWrite) {
        return MakeError(what, device,
                         fmt::format("a WRITE with immediate was not answered by another for {}",
                                     FormatDuration(setup.stall_deadline)),
                         "Look for messages of the efa driver in the kernel logs of both ends");
      }
      return MakeError(what, device,
                       fmt::format("NIC stopped completing: nothing for {}, {} requests in flight",
                                   FormatDuration(setup.stall_deadline), result.in_flight),
                       "Look for messages of the efa driver in the kernel log");
    case LoopResult::Failure::kDeviceLost:
      return DeviceLostError(what, device);
    case LoopResult::Failure::kCancelled:
      return MakeError(what, device, "the other host is gone");
  }
  return std::nullopt;
}

}  // namespace railgauge
