#include "lib/measure/loop.h"

#include <atomic>
#include <cerrno>
#include <deque>
#include <functional>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

using std::chrono::milliseconds;

// A NIC behind the function pointers of ibv_qp_ex and ibv_cq_ex. It completes requests in reverse
// order of posting, in passes of a set size, and checks what it is given.
class FakeNic {
 public:
  struct Request {
    uint64_t wr_id;
    bool read;
    uint64_t remote, local;
    uint32_t rkey, lkey, length, target_number, target_key;
    unsigned flags;
  };
  struct QueuePair {
    ibv_qp_ex qp{};  // first: the NIC finds itself from it
    FakeNic* nic = nullptr;
    std::vector<Request> list;
    uint64_t in_flight = 0;
  };

  explicit FakeNic(uint32_t queue_pairs) : queue_pairs_(queue_pairs) {
    for (QueuePair& pair : queue_pairs_) {
      pair.nic = this;
      pair.qp.wr_start = [](ibv_qp_ex* qp) { Of(qp)->list.clear(); };
      pair.qp.wr_rdma_read = [](ibv_qp_ex* qp, uint32_t rkey, uint64_t address) {
        Of(qp)->Add({qp->wr_id, true, address, 0, rkey, 0, 0, 0, 0, qp->wr_flags});
      };
      pair.qp.wr_rdma_write = [](ibv_qp_ex* qp, uint32_t rkey, uint64_t address) {
        Of(qp)->Add({qp->wr_id, false, address, 0, rkey, 0, 0, 0, 0, qp->wr_flags});
      };
      pair.qp.wr_set_ud_addr = [](ibv_qp_ex* qp, ibv_ah*, uint32_t number, uint32_t key) {
        Of(qp)->list.back().target_number = number;
        Of(qp)->list.back().target_key = key;
      };
      pair.qp.wr_set_sge = [](ibv_qp_ex* qp, uint32_t lkey, uint64_t address, uint32_t length) {
        Of(qp)->list.back().lkey = lkey;
        Of(qp)->list.back().local = address;
        Of(qp)->list.back().length = length;
      };
      pair.qp.wr_complete = [](ibv_qp_ex* qp) { return Of(qp)->nic->Post(Of(qp)); };
      handles_.push_back(&pair.qp);
    }
    cq_.cq.start_poll = [](ibv_cq_ex* cq, ibv_poll_cq_attr*) { return Of(cq)->StartPoll(); };
    cq_.cq.next_poll = [](ibv_cq_ex* cq) { return Of(cq)->NextPoll(); };
    cq_.cq.end_poll = [](ibv_cq_ex* cq) { Of(cq)->polling_ = false; };
    cq_.cq.read_vendor_err = [](ibv_cq_ex* cq) { return Of(cq)->vendor_error; };
    cq_.nic = this;
  }

  LoopSetup Setup(uint32_t depth) {
    LoopSetup setup;
    setup.queue_pairs = handles_;
    setup.cq = &cq_.cq;
    setup.target_numbers = numbers_;
    setup.target_queue_key = 0x11;
    setup.local = {0x10000, 5, SlotsFor(Bytes{4096}, Bytes{16 * 4096})};
    setup.remote = {0x90000, 6, SlotsFor(Bytes{4096}, Bytes{8 * 4096})};
    setup.message_size = 4096;
    setup.shape = ShapeFor(depth, static_cast<uint32_t>(queue_pairs_.size()));
    setup.window = milliseconds(2);
    setup.stall_deadline = milliseconds(200);
    return setup;
  }

  uint64_t in_flight() const { return pending_.size(); }

  // What happened.
  std::vector<Request> posted;
  uint64_t most_in_flight = 0;
  uint64_t doorbells = 0;
  uint64_t longest_pass = 0;
  uint64_t least_in_flight_at_poll = ~uint64_t{0};
  // What shall happen.
  uint32_t vendor_error = 7;
  uint64_t polls_in_vain = 0;                       // after a doorbell
  uint64_t complete_at_most = ~uint64_t{0};         // then the NIC is stuck
  std::function<bool(uint64_t n)> fails = nullptr;  // completion n (from 0) has an error
  int post_error = 0;
  uint64_t post_error_after = 0;
  int poll_error = 0;

 private:
  struct Cq {
    ibv_cq_ex cq{};
    FakeNic* nic = nullptr;
  };
  struct QueuePairAccess : QueuePair {
    void Add(const Request& request) { list.push_back(request); }
  };

  static QueuePairAccess* Of(ibv_qp_ex* qp) { return reinterpret_cast<QueuePairAccess*>(qp); }
  static FakeNic* Of(ibv_cq_ex* cq) { return reinterpret_cast<Cq*>(cq)->nic; }

  int Post(QueuePair* pair) {
    if (post_error != 0 && posted.size() >= post_error_after) return post_error;
    ++doorbells;
    vain_ = polls_in_vain;
    for (const Request& request : pair->list) {
      posted.push_back(request);
      pending_.push_back(request);
      ++pair->in_flight;
    }
    most_in_flight = std::max(most_in_flight, in_flight());
    return 0;
  }

  int StartPoll() {
    EXPECT_FALSE(polling_);
    least_in_flight_at_poll = std::min(least_in_flight_at_poll, in_flight());
    if (poll_error != 0) return poll_error;
    pass_ = 0;
    const int error = NextPoll();
    polling_ = error == 0;
    return error;
  }

  int NextPoll() {
    if (pending_.empty() || completed_ >= complete_at_most) return ENOENT;
    if (pass_ == 0 && vain_ > 0) {
      --vain_;
      return ENOENT;
    }
    const Request request = pending_.back();
    pending_.pop_back();
    cq_.cq.wr_id = request.wr_id;
    cq_.cq.status = fails && fails(completed_) ? IBV_WC_REM_ACCESS_ERR : IBV_WC_SUCCESS;
    ++completed_;
    longest_pass = std::max(longest_pass, ++pass_);
    return 0;
  }

  std::vector<QueuePair> queue_pairs_;
  std::vector<ibv_qp_ex*> handles_;
  std::vector<uint32_t> numbers_ = {100, 101, 102, 103};
  Cq cq_;
  std::deque<Request> pending_;
  uint64_t completed_ = 0;
  uint64_t vain_ = 0;
  uint64_t pass_ = 0;
  bool polling_ = false;
};

TEST(LoopTest, MeasuresAWindowAndLeavesNothingInFlight) {
  FakeNic nic(4);
  LoopSetup setup = nic.Setup(512);
  setup.warm_up = milliseconds(1);
  const LoopResult result = RunLoop(Operation::kRead, setup);
  EXPECT_EQ(result.failure, LoopResult::Failure::kNone);
  EXPECT_TRUE(result.window_closed);
  EXPECT_GE(result.window_end - result.window_start, milliseconds(2));
  EXPECT_GT(result.window_completions, 0u);
  EXPECT_LT(result.window_completions, result.completed);
  EXPECT_GT(result.window_posting.count(), 0);
  EXPECT_GT(result.window_polling.count(), 0);
  EXPECT_EQ(result.window_posting + result.window_polling + result.window_idle,
            result.window_end - result.window_start);
  EXPECT_EQ(result.interval_count, 0u) << "none asked for";
  EXPECT_EQ(result.posted, nic.posted.size());
  EXPECT_EQ(result.completed, result.posted);
  EXPECT_EQ(result.in_flight, 0u);
  EXPECT_EQ(nic.in_flight(), 0u);
}

TEST(LoopTest, NeverExceedsTheDepthAndKeepsThreeQuartersOfItInFlight) {
  for (uint32_t depth : {1u, 3u, 8u, 32u, 512u}) {
    FakeNic nic(4);
    LoopSetup setup = nic.Setup(depth);
    setup.max_requests = 4 * 512;
    RunLoop(Operation::kWrite, setup);
    EXPECT_LE(nic.most_in_flight, depth);
    EXPECT_GE(nic.most_in_flight * 4, depth * 3);
    EXPECT_LE(nic.longest_pass, 64u);
  }
}

TEST(LoopTest, PostsInLists) {
  FakeNic nic(4);
  LoopSetup setup = nic.Setup(512);
  setup.max_requests = 512;
  const LoopResult result = RunLoop(Operation::kRead, setup);
  EXPECT_EQ(result.posted, 512u);
  EXPECT_EQ(nic.doorbells, 512u / 16);
}

TEST(LoopTest, RequestsNameTheTargetAndRotateOverBothWorkingSets) {
  FakeNic nic(2);
  LoopSetup setup = nic.Setup(32);
  setup.max_requests = 64;
  setup.first_slot = 3;
  RunLoop(Operation::kWrite, setup);
  std::set<uint64_t> local, remote;
  for (size_t i = 0; i < nic.posted.size(); ++i) {
    const FakeNic::Request& request = nic.posted[i];
    EXPECT_FALSE(request.read);
    EXPECT_EQ(request.local, 0x10000 + (i + 3) % 16 * 4096);
    EXPECT_EQ(request.remote, 0x90000 + (i + 3) % 8 * 4096);
    EXPECT_EQ(request.lkey, 5u);
    EXPECT_EQ(request.rkey, 6u);
    EXPECT_EQ(request.length, 4096u);
    EXPECT_EQ(request.target_number, 100u + request.wr_id);
    EXPECT_EQ(request.target_key, 0x11u);
    EXPECT_EQ(request.flags, static_cast<unsigned>(IBV_SEND_SIGNALED));
    local.insert(request.local);
    remote.insert(request.remote);
  }
  EXPECT_EQ(local.size(), 16u);
  EXPECT_EQ(remote.size(), 8u);
}

TEST(LoopTest, PostsTheOperationAskedFor) {
  FakeNic nic(1);
  LoopSetup setup = nic.Setup(1);
  setup.max_requests = 1;
  RunLoop(Operation::kRead, setup);
  ASSERT_EQ(nic.posted.size(), 1u);
  EXPECT_TRUE(nic.posted[0].read);
}

TEST(LoopTest, StopsAtTheRequestLimitEvenWhereItIsNoMultipleOfAList) {
  for (uint64_t limit : {1u, 5u, 17u, 100u}) {
    FakeNic nic(4);
    LoopSetup setup = nic.Setup(64);
    setup.max_requests = limit;
    const LoopResult result = RunLoop(Operation::kRead, setup);
    EXPECT_EQ(nic.posted.size(), limit);
    EXPECT_EQ(result.completed, limit);
  }
}

TEST(LoopTest, AWindowHoldsAtLeastTheCompletionsAskedFor) {
  FakeNic nic(4);
  LoopSetup setup = nic.Setup(32);
  setup.window = Nanoseconds{0};
  setup.min_completions = 1000;
  const LoopResult result = RunLoop(Operation::kRead, setup);
  EXPECT_TRUE(result.window_closed);
  EXPECT_GE(result.window_completions, 1000u);
  EXPECT_LE(result.window_completions, 1000u + 64);
}

// Checks what holds of any window's intervals.
void ExpectIntervalsInWindow(const LoopResult& result, std::span<const LoopInterval> intervals) {
  MeasuringClock::time_point end = result.window_start;
  uint64_t completions = 0;
  for (const LoopInterval& interval : intervals.first(result.interval_count)) {
    EXPECT_GT(interval.end, end);
    EXPECT_GT(interval.completions, completions);
    end = interval.end;
    completions = interval.completions;
  }
  EXPECT_LE(end, result.window_end);
  EXPECT_LE(completions, result.window_completions);
}

TEST(LoopTest, AWindowOfTimeEndsWithItsLastInterval) {
  FakeNic nic(4);
  LoopSetup setup = nic.Setup(64);
  std::vector<LoopInterval> intervals(64);
  setup.window = milliseconds(20);
  setup.interval = milliseconds(2);
  setup.intervals = intervals;
  const LoopResult result = RunLoop(Operation::kRead, setup);
  ExpectIntervalsInWindow(result, intervals);
  EXPECT_EQ(result.interval, milliseconds(2));
  // Fewer where this host keeps the thread from its CPU beyond an edge.
  ASSERT_GE(result.interval_count, 1u);
  EXPECT_LE(result.interval_count, 10u);
  EXPECT_EQ(intervals[result.interval_count - 1].end, result.window_end);
  EXPECT_EQ(intervals[result.interval_count - 1].completions, result.window_completions);
}

TEST(LoopTest, AWindowOfCompletionsHasIntervalsToo) {
  FakeNic nic(4);
  LoopSetup setup = nic.Setup(64);
  std::vector<LoopInterval> intervals(512);
  setup.window = Nanoseconds{0};
  setup.min_completions = 200000;
  setup.interval = std::chrono::microseconds(50);
  setup.intervals = intervals;
  const LoopResult result = RunLoop(Operation::kRead, setup);
  ExpectIntervalsInWindow(result, intervals);
  EXPECT_GT(result.interval_count, 3u);
  EXPECT_EQ(result.window_posting + result.window_polling + result.window_idle,
            result.window_end - result.window_start);
}

TEST(LoopTest, IntervalsBecomeLongerWhereThereIsNoMoreRoom) {
  FakeNic nic(4);
  LoopSetup setup = nic.Setup(64);
  std::vector<LoopInterval> intervals(4);
  setup.window = milliseconds(40);
  setup.interval = std::chrono::microseconds(500);
  setup.intervals = intervals;
  const LoopResult result = RunLoop(Operation::kRead, setup);
  ExpectIntervalsInWindow(result, intervals);
  EXPECT_GE(result.interval_count, 2u);
  EXPECT_LT(result.interval_count, 4u);
  EXPECT_GT(result.interval, setup.interval);
  EXPECT_EQ(result.interval % setup.interval, Nanoseconds{0});
}

TEST(LoopTest, ANicThatLetsTheThreadWaitLeavesItIdle) {
  FakeNic nic(1);
  nic.polls_in_vain = 1000;
  LoopSetup setup = nic.Setup(1);
  setup.window = milliseconds(20);
  const LoopResult result = RunLoop(Operation::kRead, setup);
  const Nanoseconds window = result.window_end - result.window_start;
  EXPECT_GT(result.window_idle, window * 9 / 10);
  EXPECT_EQ(result.window_posting + result.window_polling + result.window_idle, window);
}

TEST(LoopTest, EveryMessageOfTheWindowHasItsLatency) {
  FakeNic nic(1);
  nic.polls_in_vain = 100;
  LatencyHistogram latencies;
  LoopSetup setup = nic.Setup(1);
  setup.latencies = &latencies;
  setup.window = milliseconds(5);
  const LoopResult result = RunLoop(Operation::kRead, setup);
  const auto summary = latencies.Summary();
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->count, result.window_completions);
  EXPECT_LE(summary->min, summary->p50);
  EXPECT_LE(summary->p99_9, summary->max);
  // One after the other they make the window, but for what the histogram rounds.
  const Nanoseconds window = result.window_end - result.window_start;
  const auto count = static_cast<int64_t>(summary->count);
  EXPECT_LE(summary->min * count, window);
  EXPECT_GE(summary->max * count, window * 99 / 100);
}

TEST(LoopTest, ACompletionErrorStopsPostingAndDrains) {
  FakeNic nic(4);
  nic.fails = [](uint64_t n) { return n == 10; };
  LoopSetup setup = nic.Setup(64);
  const LoopResult result = RunLoop(Operation::kRead, setup);
  EXPECT_EQ(result.failure, LoopResult::Failure::kCompletion);
  EXPECT_EQ(result.in_flight, 0u);
  EXPECT_EQ(nic.in_flight(), 0u);
  EXPECT_EQ(result.completed, result.posted - 1);
  EXPECT_EQ(LoopError(result, Operation::kRead, "rdmap79s0", setup)->ToString(),
            "rdma read rdmap79s0: IBV_WC_REM_ACCESS_ERR (EFA status 7: "
            "REMOTE_ERROR_BAD_ADDRESS). The remote memory region does not cover or allow the "
            "request.");
}

TEST(LoopTest, ANicThatStopsCompletingIsAnErrorAndNoHang) {
  FakeNic nic(4);
  nic.complete_at_most = 100;
  LoopSetup setup = nic.Setup(64);
  const LoopResult result = RunLoop(Operation::kWrite, setup);
  EXPECT_EQ(result.failure, LoopResult::Failure::kStalled);
  EXPECT_EQ(result.completed, 100u);
  EXPECT_EQ(result.in_flight, nic.in_flight());
  EXPECT_GT(result.in_flight, 0u);
  const std::string text = LoopError(result, Operation::kWrite, "rdmap79s0", setup)->ToString();
  EXPECT_NE(text.find("rdma write rdmap79s0: NIC stopped completing: nothing for 200.0 ms"),
            std::string::npos)
      << text;
}

TEST(LoopTest, ANicThatStopsWhileDrainingIsAnErrorToo) {
  FakeNic nic(1);
  nic.complete_at_most = 3;
  LoopSetup setup = nic.Setup(4);
  setup.max_requests = 4;
  const LoopResult result = RunLoop(Operation::kRead, setup);
  EXPECT_EQ(result.failure, LoopResult::Failure::kStalled);
  EXPECT_EQ(result.in_flight, 1u);
}

TEST(LoopTest, IsCancelledWithRequestsInFlight) {
  FakeNic nic(4);
  std::atomic<bool> cancelled{false};
  nic.fails = [&](uint64_t n) {
    if (n == 200) cancelled = true;
    return false;
  };
  LoopSetup setup = nic.Setup(64);
  setup.window = std::chrono::hours{1};
  setup.cancelled = &cancelled;
  const LoopResult result = RunLoop(Operation::kRead, setup);
  EXPECT_EQ(result.failure, LoopResult::Failure::kCancelled);
  EXPECT_FALSE(result.window_closed);
  EXPECT_EQ(result.in_flight, nic.in_flight());
  EXPECT_GE(result.completed, 200u);
  EXPECT_EQ(LoopError(result, Operation::kRead, "rdmap79s0", setup)->ToString(),
            "rdma read rdmap79s0: the other host is gone");
}

TEST(LoopTest, APostErrorStopsAndDrainsWhatWasPosted) {
  FakeNic nic(4);
  nic.post_error = ENOMEM;
  nic.post_error_after = 100;
  LoopSetup setup = nic.Setup(64);
  const LoopResult result = RunLoop(Operation::kRead, setup);
  EXPECT_EQ(result.failure, LoopResult::Failure::kPost);
  EXPECT_EQ(result.error_number, ENOMEM);
  EXPECT_EQ(result.in_flight, 0u);
  EXPECT_EQ(result.completed, nic.posted.size());
}

TEST(LoopTest, APollErrorEndsTheLoop) {
  FakeNic nic(4);
  nic.poll_error = EINVAL;
  LoopSetup setup = nic.Setup(64);
  const LoopResult result = RunLoop(Operation::kRead, setup);
  EXPECT_EQ(result.failure, LoopResult::Failure::kPoll);
  EXPECT_EQ(result.in_flight, 64u);
}

}  // namespace
}  // namespace railgauge
