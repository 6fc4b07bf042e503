#include "lib/measure/group_run.h"

#include <cerrno>
#include <deque>
#include <memory>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

using std::chrono::milliseconds;
using TimePoint = MeasuringClock::time_point;

// A NIC with one queue pair that completes one request per `pace`, in order; none before `wakes`
// after its first request, and no more than `at_most`.
class PacedNic {
 public:
  explicit PacedNic(Nanoseconds pace, uint64_t at_most = ~uint64_t{0}, Nanoseconds wakes = {})
      : pace_(pace), at_most_(at_most), wakes_(wakes) {
    qp_.nic = cq_.nic = this;
    qp_.qp.wr_start = [](ibv_qp_ex* qp) { Of(qp)->listed_ = 0; };
    qp_.qp.wr_rdma_read = [](ibv_qp_ex* qp, uint32_t, uint64_t) { ++Of(qp)->listed_; };
    qp_.qp.wr_set_ud_addr = [](ibv_qp_ex*, ibv_ah*, uint32_t, uint32_t) {};
    qp_.qp.wr_set_sge = [](ibv_qp_ex*, uint32_t, uint64_t, uint32_t) {};
    qp_.qp.wr_complete = [](ibv_qp_ex* qp) {
      Of(qp)->Post();
      return 0;
    };
    cq_.cq.start_poll = [](ibv_cq_ex* cq, ibv_poll_cq_attr*) { return Of(cq)->Poll(); };
    cq_.cq.next_poll = [](ibv_cq_ex* cq) { return Of(cq)->Poll(); };
    cq_.cq.end_poll = [](ibv_cq_ex*) {};
    handle_ = &qp_.qp;
  }

  GroupLoop Loop() {
    GroupLoop loop;
    loop.setup.queue_pairs = {&handle_, 1};
    loop.setup.cq = &cq_.cq;
    loop.setup.target_numbers = {&target_, 1};
    loop.setup.local = loop.setup.remote = {0x10000, 5, SlotsFor(Bytes{64}, Bytes{4096})};
    loop.setup.message_size = 64;
    loop.setup.shape = ShapeFor(8, 1);
    loop.setup.stall_deadline = milliseconds(300);
    return loop;
  }

  TimePoint first_post() const { return first_post_; }
  TimePoint last_post() const { return last_post_; }

 private:
  struct Qp {
    ibv_qp_ex qp{};
    PacedNic* nic = nullptr;
  };
  struct Cq {
    ibv_cq_ex cq{};
    PacedNic* nic = nullptr;
  };
  static PacedNic* Of(ibv_qp_ex* qp) { return reinterpret_cast<Qp*>(qp)->nic; }
  static PacedNic* Of(ibv_cq_ex* cq) { return reinterpret_cast<Cq*>(cq)->nic; }

  void Post() {
    last_post_ = MeasuringClock::now();
    if (first_post_ == TimePoint{}) {
      first_post_ = last_post_;
      free_ = first_post_ + wakes_;
    }
    for (uint64_t i = 0; i < listed_; ++i) {
      free_ = std::max(free_, last_post_) + pace_;
      due_.push_back(free_);
    }
  }

  int Poll() {
    if (due_.empty() || completed_ == at_most_ || due_.front() > MeasuringClock::now()) {
      return ENOENT;
    }
    due_.pop_front();
    ++completed_;
    cq_.cq.status = IBV_WC_SUCCESS;
    cq_.cq.wr_id = 0;
    return 0;
  }

  Nanoseconds pace_;
  uint64_t at_most_;
  Nanoseconds wakes_;
  Qp qp_;
  Cq cq_;
  ibv_qp_ex* handle_ = nullptr;
  uint32_t target_ = 7;
  uint64_t listed_ = 0, completed_ = 0;
  std::deque<TimePoint> due_;
  TimePoint free_, first_post_, last_post_;
};

constexpr WindowTiming kTiming = {milliseconds(5), milliseconds(40)};

std::vector<GroupLoopResult> RunNics(const std::vector<std::unique_ptr<PacedNic>>& nics,
                                     std::vector<GroupLoop>* loops) {
  for (const auto& nic : nics) loops->push_back(nic->Loop());
  return RunLoopsTogether(*loops, kTiming);
}

TEST(GroupRunTest, WhatIsCountedLiesWhereAllPost) {
  std::vector<std::unique_ptr<PacedNic>> nics;
  for (const int64_t pace : {50'000, 100'000, 200'000, 1'000'000}) {
    nics.push_back(std::make_unique<PacedNic>(Nanoseconds{pace}));
  }
  std::vector<GroupLoop> loops;
  const auto results = RunNics(nics, &loops);
  ASSERT_EQ(results.size(), 4u);
  for (size_t i = 0; i < results.size(); ++i) {
    const GroupLoopResult& result = results[i];
    ASSERT_FALSE(result.not_run);
    EXPECT_EQ(result.loop.failure, LoopResult::Failure::kNone);
    EXPECT_TRUE(result.loop.window_closed);
    EXPECT_GT(result.loop.window_completions, 0u);
    const CommonWindow common = *loops[i].setup.common;
    EXPECT_EQ(common.opens, loops[0].setup.common->opens);
    EXPECT_EQ(common.ends, loops[0].setup.common->ends);
    EXPECT_EQ(common.ends - common.opens, kTiming.window + CommonTail(kTiming.window));
    EXPECT_GE(result.loop.window_start, common.opens);
    EXPECT_LT(result.loop.window_end, common.ends);
    // Nobody began before all could.
    EXPECT_GE(nics[i]->first_post() + kTiming.warm_up, common.opens);
    EXPECT_EQ(result.loop.in_flight, 0u);
    EXPECT_EQ(result.loop.posted, result.loop.completed);
  }
}

TEST(GroupRunTest, AMemberPostsUntilTheEndAlsoWhenItsWindowIsClosed) {
  PacedNic nic(Nanoseconds{50'000});
  GroupLoop loop = nic.Loop();
  const TimePoint now = MeasuringClock::now();
  loop.setup.window = milliseconds(20);
  loop.setup.common = {now, now + milliseconds(300)};
  const LoopResult result = RunLoop(loop.operation, loop.setup);
  EXPECT_TRUE(result.window_closed);
  EXPECT_GE(result.window_end - result.window_start, milliseconds(20));
  EXPECT_LT(result.window_end, now + milliseconds(300));
  EXPECT_GT(nic.last_post(), now + milliseconds(150));
}

TEST(GroupRunTest, AStuckMemberLeavesTheOthersTheirResults) {
  std::vector<std::unique_ptr<PacedNic>> nics;
  nics.push_back(std::make_unique<PacedNic>(Nanoseconds{100'000}));
  nics.push_back(std::make_unique<PacedNic>(Nanoseconds{100'000}, 20));
  nics.push_back(std::make_unique<PacedNic>(Nanoseconds{100'000}));
  std::vector<GroupLoop> loops;
  const auto results = RunNics(nics, &loops);
  EXPECT_EQ(results[1].loop.failure, LoopResult::Failure::kStalled);
  EXPECT_GT(results[1].loop.in_flight, 0u);
  for (const size_t i : {size_t{0}, size_t{2}}) {
    EXPECT_EQ(results[i].loop.failure, LoopResult::Failure::kNone);
    EXPECT_TRUE(results[i].loop.window_closed);
    EXPECT_GT(results[i].loop.window_completions, 10u);
  }
}

TEST(GroupRunTest, WhatCompletesBehindTheEndIsNotCounted) {
  std::vector<std::unique_ptr<PacedNic>> nics;
  nics.push_back(std::make_unique<PacedNic>(Nanoseconds{100'000}));
  // Not one completion until long after the common window.
  nics.push_back(std::make_unique<PacedNic>(Nanoseconds{100'000}, ~uint64_t{0}, milliseconds(150)));
  std::vector<GroupLoop> loops;
  const auto results = RunNics(nics, &loops);
  EXPECT_TRUE(results[0].loop.window_closed);
  EXPECT_EQ(results[1].loop.failure, LoopResult::Failure::kNone);
  EXPECT_FALSE(results[1].loop.window_closed);
  EXPECT_EQ(results[1].loop.window_completions, 0u);
  EXPECT_EQ(results[1].loop.completed, results[1].loop.posted);
}

TEST(GroupRunTest, CpusThatAreNotThereAreToldAndItRunsNevertheless) {
  std::vector<std::unique_ptr<PacedNic>> nics;
  nics.push_back(std::make_unique<PacedNic>(Nanoseconds{100'000}));
  std::vector<GroupLoop> loops = {nics[0]->Loop()};
  loops[0].cpus = {8000};
  const auto results = RunLoopsTogether(loops, kTiming);
  ASSERT_TRUE(results[0].not_pinned);
  EXPECT_TRUE(results[0].loop.window_closed);
}

// More than this host has CPUs for: they end, with what they have.
TEST(GroupRunTest, ManyMembersEnd) {
  std::vector<std::unique_ptr<PacedNic>> nics;
  for (int i = 0; i < 32; ++i) nics.push_back(std::make_unique<PacedNic>(Nanoseconds{100'000}));
  std::vector<GroupLoop> loops;
  const auto results = RunNics(nics, &loops);
  for (const GroupLoopResult& result : results) {
    EXPECT_EQ(result.loop.failure, LoopResult::Failure::kNone);
    EXPECT_EQ(result.loop.in_flight, 0u);
    EXPECT_TRUE(result.cpu_wait.has_value());
  }
}

}  // namespace
}  // namespace railgauge
