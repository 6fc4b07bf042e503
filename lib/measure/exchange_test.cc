// Exchanges of WRITEs with immediate between two NICs that are none: who asks runs on this thread,
// who answers on another.
#include "lib/measure/exchange.h"

#include <atomic>
#include <cerrno>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "lib/measure/answer_loop.h"
#include "lib/measure/latency_histogram.h"
#include "lib/measure/loop.h"

namespace railgauge {
namespace {

using std::chrono::milliseconds;

// One end: its queues and what has completed in them. What is posted to one arrives at the other.
class FakeEnd {
 public:
  struct Completion {
    uint64_t wr_id;
    ibv_wc_status status;
  };

  FakeEnd() {
    qp_.end = cq_.end = this;
    context_.ops.post_recv = [](ibv_qp* qp, ibv_recv_wr* request, ibv_recv_wr**) {
      return reinterpret_cast<Qp*>(qp)->end->TakeReceive(*request);
    };
    qp_.qp.qp_base.context = &context_;
    qp_.qp.wr_start = [](ibv_qp_ex*) {};
    qp_.qp.wr_rdma_write_imm = [](ibv_qp_ex* qp, uint32_t, uint64_t address, __be32) {
      Of(qp)->written.push_back(address);
    };
    qp_.qp.wr_set_ud_addr = [](ibv_qp_ex* qp, ibv_ah*, uint32_t number, uint32_t) {
      Of(qp)->asked_number = number;
    };
    qp_.qp.wr_set_sge = [](ibv_qp_ex*, uint32_t, uint64_t, uint32_t) {};
    qp_.qp.wr_complete = [](ibv_qp_ex* qp) { return Of(qp)->Send(); };
    cq_.cq.start_poll = [](ibv_cq_ex* cq, ibv_poll_cq_attr*) { return Of(cq)->Poll(); };
    cq_.cq.next_poll = [](ibv_cq_ex* cq) { return Of(cq)->Poll(); };
    cq_.cq.end_poll = [](ibv_cq_ex*) {};
    cq_.cq.read_vendor_err = [](ibv_cq_ex*) -> uint32_t { return 7; };
    cq_.cq.read_src_qp = [](ibv_cq_ex*) -> uint32_t { return kAsker; };
  }

  static constexpr uint32_t kAsker = 55;

  ibv_qp_ex* qp() { return &qp_.qp; }
  ibv_cq_ex* cq() { return &cq_.cq; }

  // Of this end's thread.
  std::vector<uint64_t> written;  // where
  uint32_t asked_number = 0;
  uint64_t empty_passes = 0;
  FakeEnd* other = nullptr;
  // Set before it begins.
  bool acknowledged_late = false;  // its own completions come with the answer, behind it
  bool answers_nothing = false;    // what arrives here is lost
  int receive_error = 0;           // of ibv_post_recv
  std::function<bool(uint64_t n)> fails = nullptr;  // whether its WRITE n (from 1) has an error

  uint64_t receives() {
    const std::lock_guard lock(mutex_);
    return receives_;
  }

 private:
  struct Qp {
    ibv_qp_ex qp{};  // first, as of Cq
    FakeEnd* end = nullptr;
  };
  struct Cq {
    ibv_cq_ex cq{};
    FakeEnd* end = nullptr;
  };
  static FakeEnd* Of(ibv_qp_ex* qp) { return reinterpret_cast<Qp*>(qp)->end; }
  static FakeEnd* Of(ibv_cq_ex* cq) { return reinterpret_cast<Cq*>(cq)->end; }

  int TakeReceive(const ibv_recv_wr& request) {
    EXPECT_EQ(request.wr_id, kReceiveId);
    EXPECT_EQ(request.num_sge, 1);
    const std::lock_guard lock(mutex_);
    if (receive_error != 0) return receive_error;
    EXPECT_LT(receives_, kExchangeReceives);
    ++receives_;
    return 0;
  }

  int Send() {
    ++sent_;
    const bool bad = fails && fails(sent_);
    {
      const std::lock_guard lock(mutex_);
      const Completion own = {0, bad ? IBV_WC_REM_ACCESS_ERR : IBV_WC_SUCCESS};
      (acknowledged_late && !bad ? late_ : done_).push_back(own);
    }
    if (!bad) other->Arrive();
    return 0;
  }

  void Arrive() {
    const std::lock_guard lock(mutex_);
    if (answers_nothing) return;
    EXPECT_GT(receives_, 0u) << "a message came and found no receive request";
    --receives_;
    done_.push_back({kReceiveId, IBV_WC_SUCCESS});
    done_.insert(done_.end(), late_.begin(), late_.end());
    late_.clear();
  }

  int Poll() {
    const std::lock_guard lock(mutex_);
    if (done_.empty()) {
      // Both ends spin, on whatever CPUs there are.
      if (++empty_passes % 64 == 0) std::this_thread::yield();
      return ENOENT;
    }
    cq_.cq.wr_id = done_.front().wr_id;
    cq_.cq.status = done_.front().status;
    done_.pop_front();
    return 0;
  }

  Qp qp_;
  Cq cq_;
  ibv_context context_{};
  std::mutex mutex_;  // of what follows, which both threads touch
  std::deque<Completion> done_, late_;
  uint64_t receives_ = 0;
  uint64_t sent_ = 0;
};

class ExchangeTest : public testing::Test {
 protected:
  ExchangeTest() {
    asks_.other = &answers_;
    answers_.other = &asks_;
  }

  LoopSetup Asking() {
    LoopSetup setup;
    handle_ = asks_.qp();
    setup.queue_pairs = {&handle_, 1};
    setup.cq = asks_.cq();
    setup.target_numbers = {&number_, 1};
    setup.local = {0x10000, 5, SlotsFor(Bytes{64}, Bytes{3 * 4096})};
    setup.remote = {0x90000, 6, SlotsFor(Bytes{64}, Bytes{2 * 4096})};
    setup.message_size = 64;
    setup.shape = ShapeFor(1, 1);
    setup.min_completions = 500;
    setup.stall_deadline = std::chrono::seconds(60);  // the other thread may wait for a CPU
    setup.latencies = &latencies_;
    return setup;
  }

  LoopResult Run(const LoopSetup& setup) {
    AnswerSetup answer;
    answer.qp = answers_.qp();
    answer.cq = answers_.cq();
    answer.local = setup.remote;
    answer.remote = setup.local;
    answer.message_size = 64;
    answer.stop = &stop_;
    answer.drain = milliseconds(200);
    answer.cancelled = &cancelled_;
    EXPECT_EQ(PrepareToAnswer(answer), 0);
    std::thread thread([&] { answered_ = RunAnswerLoop(answer); });
    const LoopResult result = RunLoop(Operation::kWrite, setup);
    stop_ = true;
    thread.join();
    return result;
  }

  FakeEnd asks_, answers_;
  ibv_qp_ex* handle_ = nullptr;
  uint32_t number_ = 77;
  LatencyHistogram latencies_;
  std::atomic<bool> stop_{false}, cancelled_{false};
  LoopResult answered_;
};

TEST_F(ExchangeTest, EveryMessageIsAnsweredAndTimed) {
  const LoopResult result = Run(Asking());
  EXPECT_EQ(result.failure, LoopResult::Failure::kNone);
  EXPECT_EQ(answered_.failure, LoopResult::Failure::kNone);
  EXPECT_TRUE(result.window_closed);
  EXPECT_EQ(result.in_flight, 0u);
  EXPECT_EQ(result.posted, result.completed);
  EXPECT_EQ(answered_.posted, result.posted);
  EXPECT_EQ(answered_.completed, result.posted);
  // All but the one that opened the window.
  EXPECT_EQ(result.window_completions, result.posted - 1);
  const auto summary = latencies_.Summary();
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->count, result.window_completions);
  // Halves of what the window was made of.
  const Nanoseconds window = result.window_end - result.window_start;
  EXPECT_LE(summary->p50 * static_cast<int64_t>(summary->count), window);
  // Receive requests are all there again, and addresses went round on both sides.
  EXPECT_EQ(asks_.receives(), kExchangeReceives);
  EXPECT_EQ(answers_.receives(), kExchangeReceives);
  EXPECT_EQ(asks_.asked_number, 77u);
  EXPECT_EQ(answers_.asked_number, FakeEnd::kAsker);
  EXPECT_EQ(asks_.written[0], 0x90000u);
  EXPECT_EQ(asks_.written[1], 0x90000u + 4096);
  EXPECT_EQ(asks_.written[2], 0x90000u);
  EXPECT_EQ(answers_.written[3], 0x10000u);
}

TEST_F(ExchangeTest, AnOwnCompletionBehindTheAnswerIsWaitedFor) {
  asks_.acknowledged_late = true;
  const LoopResult result = Run(Asking());
  EXPECT_EQ(result.failure, LoopResult::Failure::kNone);
  EXPECT_GE(result.window_completions, 500u);
  EXPECT_EQ(result.posted, result.completed);
  EXPECT_EQ(latencies_.Summary()->count, result.window_completions);
}

TEST_F(ExchangeTest, WithoutAnAnswerItEndsByItsDeadlineAndSaysSo) {
  answers_.answers_nothing = true;
  LoopSetup setup = Asking();
  setup.stall_deadline = milliseconds(300);
  const LoopResult result = Run(setup);
  EXPECT_EQ(result.failure, LoopResult::Failure::kStalled);
  EXPECT_EQ(result.in_flight, 1u);
  EXPECT_EQ(answered_.posted, 0u);
  EXPECT_EQ(LoopError(result, Operation::kWrite, "rdmap79s0", setup)->ToString(),
            "rdma write rdmap79s0: a WRITE with immediate was not answered by another for 300.0 "
            "ms. Look for messages of the efa driver in the kernel logs of both ends.");
}

TEST_F(ExchangeTest, AWriteThatFailsEndsIt) {
  asks_.fails = [](uint64_t n) { return n == 20; };
  const LoopResult result = Run(Asking());
  EXPECT_EQ(result.failure, LoopResult::Failure::kCompletion);
  EXPECT_EQ(result.status, IBV_WC_REM_ACCESS_ERR);
  EXPECT_EQ(result.vendor_error, 7u);
  EXPECT_EQ(result.posted, 20u);
  EXPECT_EQ(result.completed, 19u);
  EXPECT_EQ(result.in_flight, 0u);
  EXPECT_EQ(answered_.posted, 19u);
}

TEST_F(ExchangeTest, AnAnswerThatFailsIsKnownToItsEnd) {
  answers_.fails = [](uint64_t n) { return n == 1; };
  LoopSetup setup = Asking();
  setup.stall_deadline = milliseconds(300);
  const LoopResult result = Run(setup);
  EXPECT_EQ(result.failure, LoopResult::Failure::kStalled);
  EXPECT_EQ(answered_.failure, LoopResult::Failure::kCompletion);
  const auto error = AnswerError(answered_, "rdmap80s0");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->operation, "answer rdma write");
  EXPECT_EQ(error->object, "rdmap80s0");
}

TEST_F(ExchangeTest, AReceiveRequestThatIsRefusedEndsIt) {
  asks_.receive_error = ENOMEM;
  const LoopResult result = Run(Asking());
  EXPECT_EQ(result.failure, LoopResult::Failure::kPost);
  EXPECT_EQ(result.error_number, ENOMEM);
  EXPECT_EQ(result.posted, 0u);
}

TEST_F(ExchangeTest, WhoAnswersDoesNotWaitForAcknowledgementsForEver) {
  answers_.acknowledged_late = true;  // and so the last one's never
  const LoopResult result = Run(Asking());
  EXPECT_EQ(result.failure, LoopResult::Failure::kNone);
  EXPECT_EQ(answered_.failure, LoopResult::Failure::kNone);
  EXPECT_EQ(answered_.posted, result.posted);
  EXPECT_EQ(answered_.completed, result.posted - 1);
}

TEST_F(ExchangeTest, WhoseOtherHostIsGoneEnds) {
  answers_.answers_nothing = true;
  cancelled_ = true;  // stop_ is set only behind the other end's deadline
  LoopSetup setup = Asking();
  setup.cancelled = &cancelled_;
  EXPECT_EQ(Run(setup).failure, LoopResult::Failure::kCancelled);
}

}  // namespace
}  // namespace railgauge
