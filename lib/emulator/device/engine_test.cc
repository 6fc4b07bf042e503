// How payload is copied: in full, in samples, with faults; and when the poller is woken.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "lib/emulator/device/copy_policy.h"
#include "lib/emulator/device/test_rig.h"

namespace railgauge::efa {
namespace {

constexpr uint32_t kMiB = 1024 * 1024;

class EngineTest : public testing::Test {
 protected:
  EngineTest() {
    TestEnd::Options options;
    options.bytes = kMiB;
    options.qp.sq_depth = 128;
    options.cq.depth = 256;
    initiator_.emplace(rig_, kNicA, options);
    target_.emplace(rig_, kNicB, options);
    ah_ = initiator_->Meet(*target_);
    rig_.copy = [this](void* to, const void* from, size_t bytes) {
      copied_ += bytes;
      rig_.Advance(Nanoseconds(static_cast<int64_t>(static_cast<double>(bytes) * copy_cost_)));
      if (payload_counts_) std::memcpy(to, from, bytes);
      if (application_) application_();
      return CopyOutcome::kDone;
    };
  }

  // A host that copies at `rate`, in simulated time.
  void SetCopyRate(double rate) { copy_cost_ = 1e9 / rate; }

  void PostReads(int count) {
    for (int i = 0; i < count; ++i) {
      initiator_->qp.Post(MakeRdma(SendOp::kRdmaRead, *initiator_, ah_, *target_, kMiB));
    }
    initiator_->qp.RingSend();
  }

  // A window of `depth` reads for `duration`; returns bytes per second in its second half. The
  // application runs between copies, as on a CPU of its own.
  double RunWindow(int depth, Nanoseconds duration) {
    return RunWindow(depth, duration, duration / 2);
  }
  // The same, counted after `warm_up`.
  double RunWindow(int depth, Nanoseconds duration, Nanoseconds warm_up) {
    const Nanoseconds start = rig_.now();
    uint64_t counted = 0;
    application_ = [&] {
      int done = 0;
      while (initiator_->send_cq.Poll()) ++done;
      if (rig_.now() >= start + warm_up) counted += static_cast<uint64_t>(done) * kMiB;
      if (done > 0 && rig_.now() < start + duration) PostReads(done);
    };
    PostReads(depth);
    while (rig_.now() < start + duration) {
      const auto next = rig_.Poll();
      if (next && *next > rig_.now()) rig_.Advance(*next - rig_.now());
      if (hiccup_) hiccup_();
      application_();
    }
    application_ = nullptr;
    return static_cast<double>(counted) /
           (static_cast<double>((duration - warm_up).count()) * 1e-9);
  }

  void Drain() {
    rig_.RunUntilIdle();
    while (initiator_->send_cq.Poll()) {
    }
  }

  TestFabric rig_;
  std::optional<TestEnd> initiator_, target_;
  uint16_t ah_ = 0;
  uint64_t copied_ = 0;
  double copy_cost_ = 0;        // ns per byte
  bool payload_counts_ = true;  // false: only the time of copies does
  std::function<void()> application_;
  std::function<void()> hiccup_;
};

TEST_F(EngineTest, AFastHostCopiesEverything) {
  SetCopyRate(20e9);
  target_->memory.Fill(1);
  const double rate = RunWindow(16, Nanoseconds(40'000'000));
  EXPECT_NEAR(rate / kLineRate, 1, 0.01);
  Drain();
  EXPECT_EQ(copied_, initiator_->device.GetStats().rdma_read_bytes);
}

TEST_F(EngineTest, ASlowHostSamplesAndKeepsTheRate) {
  payload_counts_ = false;
  SetCopyRate(4e9);
  for (const int depth : {4, 8, 16, 64}) {
    copied_ = 0;
    const uint64_t before = initiator_->device.GetStats().rdma_read_bytes;
    const double rate = RunWindow(depth, Nanoseconds(100'000'000));
    EXPECT_NEAR(rate / kLineRate, 1, 0.01) << depth;
    Drain();
    const uint64_t moved = initiator_->device.GetStats().rdma_read_bytes - before;
    EXPECT_LT(copied_, moved / 2) << depth;
  }
}

TEST_F(EngineTest, AShortWindowSeesNoBurst) {
  payload_counts_ = false;
  for (const double host_rate : {2e9, 4e9, 8e9, 12e9}) {
    SetCopyRate(host_rate);
    for (int run = 0; run < 3; ++run) {
      const double rate = RunWindow(32, Nanoseconds(15'000'000), Nanoseconds(3'000'000));
      EXPECT_LT(rate / kLineRate, 1.02) << host_rate << " " << run;
      Drain();
      rig_.Advance(Nanoseconds(2'000'000));
      // The first run teaches what the host can do.
      if (run == 0) continue;
      EXPECT_GT(rate / kLineRate, 0.98) << host_rate << " " << run;
    }
  }
}

// As long as what is in flight (16 MiB are 1.3 ms) and CatchUp::kMost together bridge.
TEST_F(EngineTest, AHostWithHiccupsKeepsTheRate) {
  payload_counts_ = false;
  SetCopyRate(20e9);
  Nanoseconds next_hiccup = rig_.now();
  hiccup_ = [&] {
    if (rig_.now() < next_hiccup) return;
    rig_.Advance(Nanoseconds(1'700'000));
    next_hiccup = rig_.now() + Nanoseconds(20'000'000);
  };
  EXPECT_NEAR(RunWindow(16, Nanoseconds(400'000'000)) / kLineRate, 1, 0.01);
}

TEST_F(EngineTest, NothingIsFasterThanTheBaseLatency) {
  PostReads(1);
  rig_.Poll();
  rig_.Advance(Nanoseconds(3'000'000));
  rig_.Poll();
  initiator_->ExpectSendCompletion();
  PostReads(1);
  EXPECT_EQ(rig_.Poll().value(), rig_.now() + kBaseLatency);
}

TEST_F(EngineTest, SamplesAreEndsAndLines) {
  SetCopyRate(1e9);
  RunWindow(16, Nanoseconds(50'000'000));
  // In flight and sampled from here on.
  target_->memory.Fill(9);
  std::memset(initiator_->memory.data(), 0, kMiB);
  PostReads(1);
  Drain();
  EXPECT_TRUE(initiator_->memory.IsFilled(9, 0, 4096));
  EXPECT_TRUE(initiator_->memory.IsFilled(9, kMiB - 4096, 4096));
  EXPECT_TRUE(initiator_->memory.IsFilled(9, 65536, 64));
  EXPECT_TRUE(initiator_->memory.IsZero(65536 + 64, 1024));
  // Idle again, for a while: back to whole payloads.
  rig_.Advance(Nanoseconds(2'000'000));
  PostReads(2);
  Drain();
  EXPECT_TRUE(initiator_->memory.IsFilled(9, 0, kMiB));
}

TEST_F(EngineTest, PostedToAnIdleDeviceIsWholeOnAnyHost) {
  SetCopyRate(1e6);  // a second for each MiB
  for (uint32_t seed = 1; seed < 20; ++seed) {
    target_->memory.Fill(seed);
    PostReads(1);
    Drain();
    ASSERT_TRUE(initiator_->memory.IsFilled(seed, 0, kMiB));
  }
}

// Another host of the fabric verifies what it receives while this one measures.
TEST_F(EngineTest, PostedToAnIdleDeviceIsWholeWhileOthersAreSampled) {
  TestEnd::Options options;
  options.bytes = kMiB;
  TestEnd other(rig_, kNicC, options);
  const uint16_t ah = other.Meet(*target_);
  SetCopyRate(1e9);
  RunWindow(16, Nanoseconds(50'000'000));
  for (uint32_t seed = 1; seed < 5; ++seed) {
    PostReads(16);
    target_->memory.Fill(seed);
    std::memset(initiator_->memory.data(), 0, kMiB);
    other.qp.PostAndRing(MakeRdma(SendOp::kRdmaRead, other, ah, *target_, kMiB));
    while (!other.send_cq.Poll()) {
      if (const auto next = rig_.Poll(); next && *next > rig_.now()) {
        rig_.Advance(*next - rig_.now());
      }
    }
    EXPECT_TRUE(other.memory.IsFilled(seed, 0, kMiB));
    EXPECT_FALSE(initiator_->memory.IsFilled(seed, 0, kMiB)) << "nothing was sampled meanwhile";
  }
  Drain();
}

TEST_F(EngineTest, FaultsFailTheRequest) {
  struct Case {
    SendOp op;
    CopyOutcome outcome;
    CompletionStatus status;
  };
  for (const Case& c :
       {Case{SendOp::kRdmaRead, CopyOutcome::kSourceFault, CompletionStatus::kBadAddress},
        Case{SendOp::kRdmaRead, CopyOutcome::kDestinationFault, CompletionStatus::kInvalidLkey},
        Case{SendOp::kRdmaWrite, CopyOutcome::kSourceFault, CompletionStatus::kInvalidLkey},
        Case{SendOp::kRdmaWrite, CopyOutcome::kDestinationFault, CompletionStatus::kBadAddress}}) {
    rig_.copy = [&](void*, const void*, size_t) { return c.outcome; };
    initiator_->qp.PostAndRing(MakeRdma(c.op, *initiator_, ah_, *target_, 100));
    rig_.RunUntilIdle();
    EXPECT_EQ(initiator_->ExpectSendCompletion().status(), c.status);
    rig_.copy = nullptr;
    initiator_->qp.PostAndRing(MakeRdma(c.op, *initiator_, ah_, *target_, 100));
    rig_.RunUntilIdle();
    EXPECT_EQ(initiator_->ExpectSendCompletion().status(), CompletionStatus::kOk);
  }
}

TEST_F(EngineTest, AFaultOfASendFailsBothEnds) {
  target_->qp.PostReceive(1, target_->memory.iova(), target_->mr.lkey, 1000);
  target_->qp.RingReceive();
  rig_.copy = [](void*, const void*, size_t) { return CopyOutcome::kSourceFault; };
  initiator_->qp.PostAndRing(MakeSend(*initiator_, ah_, *target_, 100));
  rig_.RunUntilIdle();
  EXPECT_EQ(initiator_->ExpectSendCompletion().status(), CompletionStatus::kInvalidLkey);
  EXPECT_EQ(target_->ExpectReceiveCompletion().status(), CompletionStatus::kAbort);
}

TEST_F(EngineTest, DeregWaitsForTheCopyUnderWay) {
  // The command comes from another thread, in the middle of a copy: it must not return before the
  // copy ends. (On this thread there is nobody to end it.)
  std::atomic<bool> in_copy{false}, deregistered{false}, copy_done{false};
  bool returned_early = false;
  rig_.copy = [&](void* to, const void* from, size_t bytes) {
    in_copy = true;
    // As long as the other thread needs to get to its wait, and some more for it to return wrongly.
    for (int i = 0; i < 2000; ++i) {
      std::this_thread::yield();
      returned_early |= deregistered;
    }
    std::memcpy(to, from, bytes);
    copy_done = true;
    return CopyOutcome::kDone;
  };
  PostReads(1);
  std::thread other([&] {
    while (!in_copy) std::this_thread::yield();
    EXPECT_EQ(target_->device.DeregMr(target_->mr.lkey), AdminStatus::kSuccess);
    EXPECT_TRUE(copy_done);
    deregistered = true;
  });
  rig_.RunUntilIdle();
  other.join();
  EXPECT_FALSE(returned_early);
  // The payload was copied whole before, or not at all after.
  const CompletionStatus status = initiator_->ExpectSendCompletion().status();
  EXPECT_EQ(status, CompletionStatus::kOk);
}

TEST_F(EngineTest, WakesOnlyAPollerThatWouldSleepTooLong) {
  rig_.wakes = 0;
  EXPECT_FALSE(rig_.Poll().has_value());
  PostReads(1);
  EXPECT_EQ(rig_.wakes, 1);
  PostReads(1);  // it has not polled since
  EXPECT_EQ(rig_.wakes, 1);
  PostReads(20);
  rig_.Poll();   // all is copied, and waits for its time
  PostReads(1);  // due after all others: the poller comes by in time
  EXPECT_EQ(rig_.wakes, 1);
  Drain();
  efa_io_tx_wqe bad = MakeRdma(SendOp::kRdmaRead, *initiator_, ah_, *target_, 100);
  bad.meta.ah = 99;
  initiator_->qp.PostAndRing(bad);
  EXPECT_EQ(rig_.wakes, 2);
}

TEST_F(EngineTest, ScatteredMemoryAndOddOffsets) {
  // A region of many pages that lie apart, on both sides.
  const auto scattered = [&](TestEnd& end) {
    RegMrParams params = MakeRegMr(end.pd, end.memory, kLocalWrite | kRemoteRead | kRemoteWrite);
    params.pages.clear();
    for (uint64_t page = 256; page-- > 0;) {
      params.pages.push_back({end.memory.dma_address() + page * 4096, 4096});
    }
    params.iova = 0x123456789000;
    return end.device.RegMr(params).value();
  };
  const RegMrResult local = scattered(*initiator_);
  const RegMrResult remote = scattered(*target_);
  target_->memory.Fill(3);
  efa_io_tx_wqe wqe = MakeRdma(SendOp::kRdmaRead, *initiator_, ah_, *target_, kMiB - 5000);
  wqe.data.rdma_req.remote_mem.rkey = remote.rkey;
  wqe.data.rdma_req.local_mem[0].lkey = local.lkey;
  const uint64_t address = 0x123456789000 + 2500;
  wqe.data.rdma_req.remote_mem.buf_addr_lo = wqe.data.rdma_req.local_mem[0].buf_addr_lo =
      static_cast<uint32_t>(address);
  wqe.data.rdma_req.remote_mem.buf_addr_hi = wqe.data.rdma_req.local_mem[0].buf_addr_hi =
      static_cast<uint32_t>(address >> 32);
  initiator_->qp.PostAndRing(wqe);
  Drain();
  // Page 255 is the region's first, page 0 its last; both ends lie alike.
  EXPECT_TRUE(initiator_->memory.IsFilled(3, 4096, kMiB - 2 * 4096));
  EXPECT_TRUE(initiator_->memory.IsZero(255 * 4096, 2500));
  EXPECT_TRUE(initiator_->memory.IsFilled(3, 255 * 4096 + 2500, 4096 - 2500));
  EXPECT_TRUE(initiator_->memory.IsFilled(3, 0, 4096 - 2500));
  EXPECT_TRUE(initiator_->memory.IsZero(4096 - 2500, 2500));
}

}  // namespace
}  // namespace railgauge::efa
