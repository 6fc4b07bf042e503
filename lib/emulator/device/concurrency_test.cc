// Applications, administration and the poller on threads of their own, on the real clock. Under
// ThreadSanitizer this is the proof that the model may be used from any thread; without it, that no
// wake-up and no completion is lost.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "lib/emulator/device/test_rig.h"

namespace railgauge::efa {
namespace {

using Clock = std::chrono::steady_clock;

// What a front end's thread does: polls, and sleeps until the next due time or a wake-up.
class Poller {
 public:
  explicit Poller(TestFabric& rig) : rig_(rig) {
    rig_.on_wake = [this] {
      std::lock_guard lock(mutex_);
      awake_ = true;
      wake_.notify_one();
    };
    thread_ = std::thread([this] { Run(); });
  }

  ~Poller() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
      wake_.notify_one();
    }
    thread_.join();
    rig_.on_wake = nullptr;
  }

 private:
  void Run() {
    while (true) {
      const std::optional<Nanoseconds> next = rig_.Poll();
      std::unique_lock lock(mutex_);
      const auto woken = [this] { return awake_ || stop_; };
      if (next) {
        wake_.wait_until(lock, Clock::time_point(*next), woken);
      } else {
        wake_.wait(lock, woken);
      }
      if (stop_) return;
      awake_ = false;
    }
  }

  TestFabric& rig_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool awake_ = false, stop_ = false;
  std::thread thread_;
};

// Spins for a completion; empty after a time that no healthy run needs.
std::optional<TestCompletion> WaitFor(TestCq& cq) {
  const auto deadline = Clock::now() + std::chrono::seconds(30);
  while (Clock::now() < deadline) {
    if (auto completion = cq.Poll()) return completion;
    std::this_thread::yield();
  }
  return std::nullopt;
}

TestEnd::Options Options() {
  TestEnd::Options options;
  options.bytes = 8192;  // whole at any speed of the host
  return options;
}

// Rounds of writes and reads back, a batch at a time.
void Converse(TestFabric& rig, const PciAddress& from, const PciAddress& to, int rounds) {
  TestEnd initiator(rig, from, Options());
  TestEnd target(rig, to, Options());
  const uint16_t ah = initiator.Meet(target);
  for (int round = 0; round < rounds; ++round) {
    const auto seed = static_cast<uint32_t>(round);
    const uint32_t bytes = 1 + static_cast<uint32_t>(round * 977 % 8192);
    initiator.memory.Fill(seed);
    initiator.qp.PostAndRing(MakeRdma(SendOp::kRdmaWrite, initiator, ah, target, bytes));
    ASSERT_TRUE(WaitFor(initiator.send_cq).has_value());
    ASSERT_TRUE(target.memory.IsFilled(seed, 0, bytes));
    initiator.memory.Fill(seed + 1);
    for (int i = 0; i < 8; ++i) {
      initiator.qp.Post(MakeRdma(SendOp::kRdmaRead, initiator, ah, target, bytes));
    }
    initiator.qp.RingSend();
    for (int i = 0; i < 8; ++i) {
      const auto completion = WaitFor(initiator.send_cq);
      ASSERT_TRUE(completion.has_value());
      ASSERT_EQ(completion->status(), CompletionStatus::kOk);
    }
    ASSERT_TRUE(initiator.memory.IsFilled(seed, 0, bytes));
  }
}

TEST(ConcurrencyTest, ThreeApplications) {
  TestFabric rig(MakeTestMachine(), true);
  Poller poller(rig);
  std::thread first([&] { Converse(rig, kNicA, kNicB, 200); });
  std::thread second([&] { Converse(rig, kNicB, kNicA, 200); });
  Converse(rig, kNicC, kNicC, 200);
  first.join();
  second.join();
}

// Each request ends with success or with the error that its dying region or QP explains.
TEST(ConcurrencyTest, RegionsAndQueuePairsDieInFlight) {
  TestFabric rig(MakeTestMachine(), true);
  Poller poller(rig);
  TestEnd::Options options;
  options.bytes = 256 * 1024;
  TestEnd initiator(rig, kNicA, options);
  TestEnd target(rig, kNicB, options);
  const uint16_t ah = initiator.Meet(target);
  std::atomic<bool> stop{false};
  std::atomic<uint32_t> rkey{target.mr.rkey};
  std::thread administrator([&] {
    uint32_t lkey = target.mr.lkey;
    while (!stop) {
      const auto fresh =
          target.device.RegMr(MakeRegMr(target.pd, target.memory, kRemoteRead)).value();
      rkey = fresh.rkey;
      EXPECT_EQ(target.device.DeregMr(std::exchange(lkey, fresh.lkey)), AdminStatus::kSuccess);
      std::this_thread::yield();
    }
  });
  std::thread destroyer([&] {
    while (!stop) {
      TestCq cq(rig, kNicA, initiator.uar);
      TestQp qp(rig, kNicA, initiator.pd, initiator.uar, cq, cq, {});
      for (int i = 0; i < 4; ++i) {
        qp.PostAndRing(MakeRdma(SendOp::kRdmaRead, initiator, ah, target, 1000));
      }
      if (qp.number() % 2 == 0) {
        EXPECT_EQ(qp.Modify(QpState::kErr), AdminStatus::kSuccess);
      }
      EXPECT_EQ(initiator.device.DestroyQp(qp.handle()), AdminStatus::kSuccess);
      EXPECT_EQ(initiator.device.DestroyCq(cq.number()), AdminStatus::kSuccess);
    }
  });
  int succeeded = 0, failed = 0;
  for (int round = 0; round < 300; ++round) {
    efa_io_tx_wqe wqe =
        MakeRdma(SendOp::kRdmaRead, initiator, ah, target, round % 2 == 0 ? 1000 : 100'000);
    // Away from where the destroyer's requests write.
    wqe.data.rdma_req.local_mem[0].buf_addr_lo += 4096;
    if (wqe.data.rdma_req.local_mem[0].buf_addr_lo < 4096) {
      ++wqe.data.rdma_req.local_mem[0].buf_addr_hi;
    }
    wqe.data.rdma_req.remote_mem.rkey = rkey;
    initiator.qp.PostAndRing(wqe);
    const auto completion = WaitFor(initiator.send_cq);
    if (!completion) {
      ADD_FAILURE() << "no completion in round " << round;
      break;
    }
    if (completion->status() == CompletionStatus::kOk) {
      ++succeeded;
    } else {
      EXPECT_EQ(completion->status(), CompletionStatus::kBadAddress);
      ++failed;
    }
  }
  stop = true;
  administrator.join();
  destroyer.join();
  EXPECT_EQ(succeeded + failed, 300);
}

TEST(ConcurrencyTest, WindowOnTheRealClockRunsNearItsRate) {
  // Not a measurement: the host may be busy. But the emulated NIC must not be faster than it is.
  TestFabric rig(MakeTestMachine(), true);
  Poller poller(rig);
  TestEnd::Options options;
  options.bytes = 1024 * 1024;
  options.place = kNode1;
  TestEnd initiator(rig, kNicA, options);
  TestEnd target(rig, kNicB, options);
  const uint16_t ah = initiator.Meet(target);
  const efa_io_tx_wqe wqe = MakeRdma(SendOp::kRdmaRead, initiator, ah, target, 1024 * 1024);
  for (int i = 0; i < 16; ++i) initiator.qp.Post(wqe);
  const auto start = Clock::now();
  initiator.qp.RingSend();
  constexpr int kMessages = 800;
  for (int done = 0; done < kMessages; ++done) {
    ASSERT_TRUE(WaitFor(initiator.send_cq).has_value());
    if (done + 16 < kMessages) initiator.qp.PostAndRing(wqe);
  }
  const std::chrono::duration<double> elapsed = Clock::now() - start;
  const double rate = kMessages * 1024.0 * 1024.0 / elapsed.count();
  RecordProperty("gigabytes_per_second", std::to_string(rate / 1e9));
  EXPECT_LT(rate, kSocketLinkRate * 1.001);
}

}  // namespace
}  // namespace railgauge::efa
