// Whatever an application writes into its rings and doorbells, the device goes on: no crash, no
// access outside registered memory (AddressSanitizer would see it), and other QPs are served.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "lib/emulator/device/test_rig.h"

namespace railgauge::efa {
namespace {

class MaliceTest : public testing::TestWithParam<QpType> {
 protected:
  MaliceTest() {
    TestEnd::Options options;
    options.qp.type = GetParam();
    options.bytes = 16 * 1024;
    attacker_.emplace(rig_, kNicA, options);
    victim_.emplace(rig_, kNicB, options);
    ah_ = attacker_->Meet(*victim_);
    options.qp.type = QpType::kSrd;
    honest_.emplace(rig_, kNicC, options);
    honest_target_.emplace(rig_, kNicB, options);
    honest_ah_ = honest_->Meet(*honest_target_);
  }

  // An unbounded stream of retries would not end: what can be due, not all that will be.
  void RunSome() {
    for (int i = 0; i < 50; ++i) {
      const auto next = rig_.Poll();
      if (!next) return;
      if (*next > rig_.now()) rig_.Advance(*next - rig_.now());
    }
  }

  void ExpectHonestWork(uint32_t seed) {
    honest_->memory.Fill(seed);
    honest_->qp.PostAndRing(
        MakeRdma(SendOp::kRdmaWrite, *honest_, honest_ah_, *honest_target_, 1000));
    rig_.Advance(Nanoseconds(1'000'000'000));
    rig_.Poll();
    rig_.Advance(Nanoseconds(1'000'000'000));
    rig_.Poll();
    ASSERT_EQ(honest_->ExpectSendCompletion().status(), CompletionStatus::kOk);
    ASSERT_TRUE(honest_target_->memory.IsFilled(seed, 0, 1000));
  }

  void Drain() {
    while (attacker_->send_cq.Poll()) {
    }
    while (attacker_->recv_cq.Poll()) {
    }
    while (victim_->recv_cq.Poll()) {
    }
  }

  TestFabric rig_;
  std::optional<TestEnd> attacker_, victim_, honest_, honest_target_;
  uint16_t ah_ = 0, honest_ah_ = 0;
  std::mt19937_64 random_{20260101};
};

TEST_P(MaliceTest, RandomDescriptorsAndDoorbells) {
  for (uint32_t round = 0; round < 300; ++round) {
    for (int i = 0; i < 16; ++i) {
      efa_io_tx_wqe wqe;
      for (size_t at = 0; at < sizeof(wqe); at += 8) {
        const uint64_t bits = random_();
        std::memcpy(reinterpret_cast<char*>(&wqe) + at, &bits, 8);
      }
      attacker_->qp.Post(wqe);
      attacker_->qp.PostReceive(static_cast<uint16_t>(random_()), random_(),
                                static_cast<uint32_t>(random_()), static_cast<uint16_t>(random_()),
                                random_() % 2 == 0, random_() % 2 == 0);
    }
    const auto& queues = attacker_->qp.result();
    attacker_->device.Doorbell(queues.sq_db_offset, static_cast<uint32_t>(random_()));
    attacker_->device.Doorbell(queues.rq_db_offset, static_cast<uint32_t>(random_()));
    attacker_->device.Doorbell(random_() % (4 * 4096), static_cast<uint32_t>(random_()));
    attacker_->qp.RingSend();
    attacker_->qp.RingReceive();
    RunSome();
    Drain();
    if (round % 20 == 0) ExpectHonestWork(round);
  }
}

// Good requests with a few bits wrong get further than noise.
TEST_P(MaliceTest, RequestsWithFlippedBits) {
  const SendOp ops[] = {SendOp::kSend, SendOp::kRdmaRead, SendOp::kRdmaWrite};
  for (uint32_t round = 0; round < 1000; ++round) {
    const SendOp op = ops[random_() % 3];
    const auto length = static_cast<uint32_t>(random_() % 9000);
    efa_io_tx_wqe wqe = op == SendOp::kSend ? MakeSend(*attacker_, ah_, *victim_, length)
                                            : MakeRdma(op, *attacker_, ah_, *victim_, length);
    if (random_() % 2 == 0) SetImmediate(wqe, 1);
    for (uint64_t flips = random_() % 4; flips > 0; --flips) {
      const uint64_t bit = random_() % (sizeof(wqe) * 8);
      reinterpret_cast<uint8_t*>(&wqe)[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
    }
    victim_->qp.PostReceive(1, victim_->memory.iova() + random_() % 20'000,
                            victim_->mr.lkey ^ (random_() % 8 == 0), 9000, random_() % 8 != 0,
                            random_() % 8 != 0);
    victim_->qp.RingReceive();
    attacker_->qp.PostAndRing(wqe);
    RunSome();
    Drain();
    if (round % 100 == 0) ExpectHonestWork(round);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, MaliceTest, testing::Values(QpType::kSrd, QpType::kUd));

}  // namespace
}  // namespace railgauge::efa
