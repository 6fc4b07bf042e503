// Queue pairs and memory that go away, or change state, while requests are posted and in flight.
#include <gtest/gtest.h>

#include "lib/emulator/device/test_rig.h"

namespace railgauge::efa {
namespace {

class LifecycleTest : public testing::Test {
 protected:
  efa_io_tx_wqe Read(uint16_t req_id, uint32_t length = 1000) {
    return MakeRdma(SendOp::kRdmaRead, initiator_, ah_, target_, length, req_id);
  }

  TestFabric rig_;
  TestEnd initiator_{rig_, kNicA};
  TestEnd target_{rig_, kNicB};
  uint16_t ah_ = initiator_.Meet(target_);
};

TEST_F(LifecycleTest, ErrFlushesInTheOrderOfPosting) {
  for (uint16_t i = 0; i < 5; ++i) initiator_.qp.PostAndRing(Read(i));
  initiator_.qp.PostReceive(100, 0, 0, 10, true, false);
  initiator_.qp.PostReceive(0, 0, 0, 10, false, true);
  initiator_.qp.PostReceive(101, 0, 0, 10);
  initiator_.qp.RingReceive();
  EXPECT_EQ(initiator_.qp.Modify(QpState::kErr), AdminStatus::kSuccess);
  for (uint16_t i = 0; i < 5; ++i) {
    const TestCompletion completion = initiator_.ExpectSendCompletion();
    EXPECT_EQ(completion.status(), CompletionStatus::kFlushed);
    EXPECT_EQ(completion.common.req_id, i);
  }
  for (uint16_t i = 100; i < 102; ++i) {
    const TestCompletion completion = initiator_.ExpectReceiveCompletion();
    EXPECT_EQ(completion.status(), CompletionStatus::kFlushed);
    EXPECT_EQ(completion.common.req_id, i);
  }
  // Nothing comes later, and no data.
  target_.memory.Fill(1);
  rig_.RunUntilIdle();
  EXPECT_FALSE(initiator_.send_cq.Poll().has_value());
  EXPECT_FALSE(initiator_.recv_cq.Poll().has_value());
}

TEST_F(LifecycleTest, PostingToErrFlushes) {
  initiator_.qp.Modify(QpState::kErr);
  initiator_.qp.PostAndRing(Read(7));
  EXPECT_EQ(initiator_.ExpectSendCompletion().status(), CompletionStatus::kFlushed);
  initiator_.qp.PostReceive(8, 0, 0, 10);
  initiator_.qp.RingReceive();
  EXPECT_EQ(initiator_.ExpectReceiveCompletion().status(), CompletionStatus::kFlushed);
}

TEST_F(LifecycleTest, ResetDropsAndStartsAtZero) {
  for (uint16_t i = 0; i < 5; ++i) initiator_.qp.PostAndRing(Read(i));
  initiator_.qp.PostReceive(100, 0, 0, 10);
  initiator_.qp.RingReceive();
  initiator_.qp.Modify(QpState::kReset);
  rig_.RunUntilIdle();
  EXPECT_FALSE(initiator_.send_cq.Poll().has_value());
  // libefa restarts its counters without a doorbell, and keeps the phase.
  initiator_.qp.ResetIndices();
  initiator_.qp.ToReady();
  rig_.RunUntilIdle();
  EXPECT_FALSE(initiator_.send_cq.Poll().has_value());
  initiator_.qp.PostAndRing(Read(50));
  rig_.RunUntilIdle();
  EXPECT_EQ(initiator_.ExpectSendCompletion().common.req_id, 50);
  // The old receive request is gone.
  initiator_.qp.Modify(QpState::kErr);
  EXPECT_FALSE(initiator_.recv_cq.Poll().has_value());
}

TEST_F(LifecycleTest, DestroyLeavesNothing) {
  for (uint16_t i = 0; i < 5; ++i) initiator_.qp.PostAndRing(Read(i));
  rig_.Poll();
  EXPECT_EQ(initiator_.device.DestroyQp(initiator_.qp.handle()), AdminStatus::kSuccess);
  rig_.RunUntilIdle();
  EXPECT_FALSE(initiator_.send_cq.Poll().has_value());
  EXPECT_EQ(initiator_.device.DestroyCq(initiator_.send_cq.number()), AdminStatus::kSuccess);
}

TEST_F(LifecycleTest, RequestsWaitForRts) {
  TestQp::Options options;
  options.ready = false;
  TestQp qp(rig_, kNicA, initiator_.pd, initiator_.uar, initiator_.send_cq, initiator_.recv_cq,
            options);
  qp.PostAndRing(Read(1));  // RESET hears nothing
  qp.ResetIndices();
  qp.Modify(QpState::kInit);
  qp.PostAndRing(Read(2));
  qp.Modify(QpState::kRtr);
  rig_.RunUntilIdle();
  EXPECT_FALSE(initiator_.send_cq.Poll().has_value());
  qp.Modify(QpState::kRts);
  rig_.RunUntilIdle();
  EXPECT_EQ(initiator_.send_cq.Poll().value().common.req_id, 2);
}

TEST_F(LifecycleTest, SqdDrainsAndHoldsWhatIsNew) {
  initiator_.qp.PostAndRing(Read(1));
  initiator_.qp.Modify(QpState::kSqd);
  EXPECT_TRUE(initiator_.device.QueryQp(initiator_.qp.handle()).value().sq_draining);
  initiator_.qp.PostAndRing(Read(2));
  rig_.RunUntilIdle();
  EXPECT_EQ(initiator_.ExpectSendCompletion().common.req_id, 1);
  EXPECT_FALSE(initiator_.device.QueryQp(initiator_.qp.handle()).value().sq_draining);
  EXPECT_FALSE(initiator_.send_cq.Poll().has_value());
  initiator_.qp.Modify(QpState::kRts);
  rig_.RunUntilIdle();
  EXPECT_EQ(initiator_.ExpectSendCompletion().common.req_id, 2);
}

TEST_F(LifecycleTest, TheTargetQpGoesAway) {
  target_.memory.Fill(1);
  initiator_.qp.PostAndRing(Read(1));
  target_.device.DestroyQp(target_.qp.handle());
  rig_.RunUntilIdle();
  EXPECT_EQ(initiator_.ExpectSendCompletion().status(), CompletionStatus::kBadDestQpn);
  EXPECT_TRUE(initiator_.memory.IsZero(0, 1000));
}

TEST_F(LifecycleTest, RegionsDeregisteredInFlight) {
  target_.memory.Fill(1);
  initiator_.qp.PostAndRing(Read(1));
  EXPECT_EQ(target_.device.DeregMr(target_.mr.lkey), AdminStatus::kSuccess);
  rig_.RunUntilIdle();
  EXPECT_EQ(initiator_.ExpectSendCompletion().status(), CompletionStatus::kBadAddress);
  target_.mr = target_.device.RegMr(MakeRegMr(target_.pd, target_.memory, kRemoteRead)).value();
  initiator_.qp.PostAndRing(Read(2));
  EXPECT_EQ(initiator_.device.DeregMr(initiator_.mr.lkey), AdminStatus::kSuccess);
  rig_.RunUntilIdle();
  EXPECT_EQ(initiator_.ExpectSendCompletion().status(), CompletionStatus::kInvalidLkey);
  EXPECT_TRUE(initiator_.memory.IsZero(0, 1000));
}

TEST_F(LifecycleTest, ASendThatArrivedIsNotLostWhenItsSenderDies) {
  target_.qp.PostReceive(9, target_.memory.iova(), target_.mr.lkey, 8000);
  target_.qp.RingReceive();
  initiator_.qp.PostAndRing(MakeSend(initiator_, ah_, target_, 8000));
  rig_.Poll();
  // It arrives one line time and latency later, and then takes the receiver's line time.
  rig_.Advance(kBaseLatency + Nanoseconds(641));
  rig_.Poll();
  EXPECT_FALSE(target_.recv_cq.Poll().has_value());
  initiator_.device.DestroyQp(initiator_.qp.handle());
  rig_.RunUntilIdle();
  const TestCompletion completion = target_.ExpectReceiveCompletion();
  EXPECT_EQ(completion.common.req_id, 9);
  EXPECT_EQ(completion.status(), CompletionStatus::kAbort);
}

TEST_F(LifecycleTest, WhatArrivedBeforeAResetIsNotOfTheQueuePairAfterIt) {
  target_.qp.PostReceive(9, target_.memory.iova(), target_.mr.lkey, 8000);
  target_.qp.RingReceive();
  initiator_.qp.PostAndRing(MakeSend(initiator_, ah_, target_, 8000));
  rig_.Poll();
  rig_.Advance(kBaseLatency + Nanoseconds(641));
  rig_.Poll();  // has taken the receive request
  ASSERT_EQ(target_.qp.Modify(QpState::kReset), AdminStatus::kSuccess);
  target_.qp.ResetIndices();
  target_.qp.ToReady();
  target_.qp.PostReceive(10, target_.memory.iova(), target_.mr.lkey, 8000);
  target_.qp.RingReceive();
  rig_.RunUntilIdle();
  EXPECT_FALSE(target_.recv_cq.Poll().has_value());
  initiator_.ExpectSendCompletion();
  initiator_.qp.PostAndRing(MakeSend(initiator_, ah_, target_, 100));
  rig_.RunUntilIdle();
  EXPECT_EQ(target_.ExpectReceiveCompletion().common.req_id, 10);
}

TEST_F(LifecycleTest, QpNumbersOfOtherQpsAreUntouched) {
  // One QP's death concerns no other of the same CQ.
  TestQp other(rig_, kNicA, initiator_.pd, initiator_.uar, initiator_.send_cq, initiator_.send_cq,
               {});
  other.PostAndRing(Read(1));
  initiator_.qp.PostAndRing(Read(2));
  initiator_.device.DestroyQp(initiator_.qp.handle());
  rig_.RunUntilIdle();
  const auto completion = initiator_.send_cq.Poll();
  ASSERT_TRUE(completion.has_value());
  EXPECT_EQ(completion->common.qp_num, other.number());
  EXPECT_EQ(completion->status(), CompletionStatus::kOk);
  EXPECT_FALSE(initiator_.send_cq.Poll().has_value());
}

}  // namespace
}  // namespace railgauge::efa
