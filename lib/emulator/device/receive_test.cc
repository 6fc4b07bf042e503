// The receive queue: SEND and its receiver, datagrams, WRITE with immediate, receivers not ready.
#include <gtest/gtest.h>

#include <cstring>

#include "lib/emulator/device/test_rig.h"

namespace railgauge::efa {
namespace {

class ReceiveTest : public testing::Test {
 protected:
  void PostReceive(uint16_t req_id, uint64_t offset, uint16_t length) {
    target_.qp.PostReceive(req_id, target_.memory.iova() + offset, target_.mr.lkey, length);
    target_.qp.RingReceive();
  }

  void SetRnrRetry(TestEnd& end, uint8_t retries) {
    ModifyQpParams params;
    params.qp_handle = end.qp.handle();
    params.set_rnr_retry = true;
    params.rnr_retry = retries;
    ASSERT_EQ(end.device.ModifyQp(params), AdminStatus::kSuccess);
  }

  TestFabric rig_;
  TestEnd sender_{rig_, kNicA};
  TestEnd target_{rig_, kNicB};
  uint16_t ah_ = sender_.Meet(target_);
};

TEST_F(ReceiveTest, Send) {
  sender_.memory.Fill(3);
  PostReceive(11, 0, 8000);
  efa_io_tx_wqe wqe = MakeSend(sender_, ah_, target_, 5000, 22);
  SetImmediate(wqe, 0xabcd);
  sender_.qp.PostAndRing(wqe);
  rig_.RunUntilIdle();
  const TestCompletion sent = sender_.ExpectSendCompletion();
  EXPECT_EQ(sent.status(), CompletionStatus::kOk);
  EXPECT_EQ(sent.common.req_id, 22);
  const TestCompletion received = target_.ExpectReceiveCompletion();
  EXPECT_EQ(received.status(), CompletionStatus::kOk);
  EXPECT_EQ(received.common.req_id, 11);
  EXPECT_EQ(received.byte_length(), 5000u);
  EXPECT_EQ(received.entry.base.src_qp_num, sender_.qp.number());
  EXPECT_EQ(received.entry.base.imm, 0xabcdu);
  EXPECT_NE(GetField(received.common.flags, kCompletionHasImm), 0u);
  EXPECT_NE(received.entry.base.ah, kUnknownAh);
  EXPECT_TRUE(target_.memory.IsFilled(3, 0, 5000));
  EXPECT_TRUE(target_.memory.IsZero(5000, 100));
  EXPECT_EQ(sender_.device.GetStats().send_wrs, 1u);
  EXPECT_EQ(sender_.device.GetStats().send_bytes, 5000u);
  EXPECT_EQ(target_.device.GetStats().recv_wrs, 1u);
  EXPECT_EQ(target_.device.GetStats().recv_bytes, 5000u);
}

TEST_F(ReceiveTest, SendOfTwoEntriesIntoThree) {
  sender_.memory.Fill(4);
  const uint64_t to = target_.memory.iova();
  target_.qp.PostReceive(1, to, target_.mr.lkey, 10, true, false);
  target_.qp.PostReceive(0, to + 10, target_.mr.lkey, 20, false, false);
  target_.qp.PostReceive(0, to + 30, target_.mr.lkey, 1000, false, true);
  target_.qp.RingReceive();
  efa_io_tx_wqe wqe = MakeSend(sender_, ah_, target_, 15);
  wqe.meta.length = 2;
  wqe.data.sgl[1] = wqe.data.sgl[0];
  wqe.data.sgl[1].buf_addr_lo += 15;
  wqe.data.sgl[1].length = 500;
  sender_.qp.PostAndRing(wqe);
  rig_.RunUntilIdle();
  EXPECT_EQ(sender_.ExpectSendCompletion().status(), CompletionStatus::kOk);
  EXPECT_EQ(target_.ExpectReceiveCompletion().byte_length(), 515u);
  EXPECT_TRUE(target_.memory.IsFilled(4, 0, 515));
}

TEST_F(ReceiveTest, InlineSend) {
  PostReceive(1, 0, 100);
  efa_io_tx_wqe wqe = MakeSend(sender_, ah_, target_, 0);
  wqe.meta.ctrl1 = static_cast<uint8_t>(wqe.meta.ctrl1 | kTxInline);
  wqe.meta.length = 5;
  std::memcpy(wqe.data.inline_data, "hello", 5);
  sender_.qp.PostAndRing(wqe);
  rig_.RunUntilIdle();
  EXPECT_EQ(sender_.ExpectSendCompletion().status(), CompletionStatus::kOk);
  EXPECT_EQ(target_.ExpectReceiveCompletion().byte_length(), 5u);
  EXPECT_EQ(std::memcmp(target_.memory.data(), "hello", 5), 0);
}

TEST_F(ReceiveTest, ReceiverTooShort) {
  PostReceive(1, 0, 99);
  sender_.qp.PostAndRing(MakeSend(sender_, ah_, target_, 100));
  rig_.RunUntilIdle();
  EXPECT_EQ(sender_.ExpectSendCompletion().status(), CompletionStatus::kRemoteBadLength);
  EXPECT_EQ(target_.ExpectReceiveCompletion().status(), CompletionStatus::kLocalBadLength);
}

TEST_F(ReceiveTest, ReceiverWithoutMemory) {
  target_.qp.PostReceive(1, target_.memory.iova(), target_.mr.lkey ^ 1, 1000);
  target_.qp.RingReceive();
  sender_.qp.PostAndRing(MakeSend(sender_, ah_, target_, 100));
  rig_.RunUntilIdle();
  EXPECT_EQ(sender_.ExpectSendCompletion().status(), CompletionStatus::kBadStatus);
  EXPECT_EQ(target_.ExpectReceiveCompletion().status(), CompletionStatus::kInvalidLkey);
}

TEST_F(ReceiveTest, MalformedReceive) {
  target_.qp.PostReceive(9, target_.memory.iova(), target_.mr.lkey, 1000, false, true);
  target_.qp.RingReceive();
  sender_.qp.PostAndRing(MakeSend(sender_, ah_, target_, 100));
  rig_.RunUntilIdle();
  EXPECT_EQ(sender_.ExpectSendCompletion().status(), CompletionStatus::kBadStatus);
  EXPECT_EQ(target_.ExpectReceiveCompletion().status(), CompletionStatus::kQpInternalError);
}

TEST_F(ReceiveTest, LimitedRnrRetriesEnd) {
  SetRnrRetry(sender_, 2);
  sender_.qp.PostAndRing(MakeSend(sender_, ah_, target_, 100));
  rig_.RunUntilIdle();
  EXPECT_EQ(sender_.ExpectSendCompletion().status(), CompletionStatus::kRnr);
  EXPECT_FALSE(target_.recv_cq.Poll().has_value());
}

TEST_F(ReceiveTest, UnlimitedRnrRetriesWaitForTheReceiver) {
  sender_.memory.Fill(5);
  sender_.qp.PostAndRing(MakeSend(sender_, ah_, target_, 100));
  for (int i = 0; i < 1000; ++i) {
    const auto next = rig_.Poll();
    ASSERT_TRUE(next.has_value());
    rig_.Advance(*next - rig_.now());
  }
  EXPECT_FALSE(sender_.send_cq.Poll().has_value());
  PostReceive(1, 0, 100);
  rig_.RunUntilIdle();
  EXPECT_EQ(sender_.ExpectSendCompletion().status(), CompletionStatus::kOk);
  EXPECT_TRUE(target_.memory.IsFilled(5, 0, 100));
}

TEST_F(ReceiveTest, WriteWithImmediate) {
  for (const uint32_t length : {0u, 100u, 70'000u}) {
    TestEnd::Options options;
    options.bytes = 128 * 1024;
    TestEnd sender(rig_, kNicA, options);
    TestEnd target(rig_, kNicB, options);
    const uint16_t ah = sender.Meet(target);
    sender.memory.Fill(6);
    target.qp.PostReceive(33, 0, 0, 0);
    target.qp.RingReceive();
    efa_io_tx_wqe wqe = MakeRdma(SendOp::kRdmaWrite, sender, ah, target, length);
    SetImmediate(wqe, 77);
    sender.qp.PostAndRing(wqe);
    rig_.RunUntilIdle();
    EXPECT_EQ(sender.ExpectSendCompletion().status(), CompletionStatus::kOk);
    const TestCompletion received = target.ExpectReceiveCompletion();
    EXPECT_EQ(received.status(), CompletionStatus::kOk);
    EXPECT_EQ(received.common.req_id, 33);
    EXPECT_EQ(received.op(), static_cast<uint32_t>(EFA_IO_RDMA_WRITE));
    EXPECT_EQ(received.byte_length(), length);
    EXPECT_EQ(received.entry.base.imm, 77u);
    EXPECT_EQ(GetField(received.common.flags, kCompletionUnsolicited), 0u);
    EXPECT_TRUE(target.memory.IsFilled(6, 0, length));
    for (TestEnd* end : {&sender, &target}) {
      end->device.DestroyQp(end->qp.handle());
      end->device.DestroyCq(end->send_cq.number());
      end->device.DestroyCq(end->recv_cq.number());
      end->device.DeallocUar(end->uar);
    }
  }
}

TEST_F(ReceiveTest, WriteWithImmediateNeedsAReceive) {
  SetRnrRetry(sender_, 0);
  efa_io_tx_wqe wqe = MakeRdma(SendOp::kRdmaWrite, sender_, ah_, target_, 100);
  SetImmediate(wqe, 1);
  sender_.qp.PostAndRing(wqe);
  rig_.RunUntilIdle();
  EXPECT_EQ(sender_.ExpectSendCompletion().status(), CompletionStatus::kRnr);
}

TEST_F(ReceiveTest, UnsolicitedWriteReceiveUsesNoRequest) {
  TestEnd::Options options;
  options.qp.unsolicited_write_recv = true;
  TestEnd target(rig_, kNicC, options);
  const uint16_t ah = sender_.Meet(target);
  efa_io_tx_wqe wqe = MakeRdma(SendOp::kRdmaWrite, sender_, ah, target, 100);
  SetImmediate(wqe, 5);
  sender_.qp.PostAndRing(wqe);
  rig_.RunUntilIdle();
  EXPECT_EQ(sender_.ExpectSendCompletion().status(), CompletionStatus::kOk);
  const TestCompletion received = target.ExpectReceiveCompletion();
  EXPECT_NE(GetField(received.common.flags, kCompletionUnsolicited), 0u);
  EXPECT_EQ(received.byte_length(), 100u);
}

TEST_F(ReceiveTest, SourceAddressWhereTheAhIsUnknown) {
  TestEnd::Options options;
  options.cq.set_src_addr = true;
  TestEnd target(rig_, kNicC, options);
  // Only the sender knows the other; a SEND needs no more.
  const uint16_t ah =
      sender_.device.CreateAh(sender_.pd, target.device.GetAttributes().gid).value();
  target.qp.PostReceive(1, target.memory.iova(), target.mr.lkey, 1000);
  target.qp.RingReceive();
  sender_.qp.PostAndRing(MakeSend(sender_, ah, target, 100));
  rig_.RunUntilIdle();
  const TestCompletion received = target.ExpectReceiveCompletion();
  EXPECT_EQ(received.entry.base.ah, kUnknownAh);
  const Gid gid = sender_.device.GetAttributes().gid;
  EXPECT_EQ(std::memcmp(received.entry.u.src_addr, gid.data(), gid.size()), 0);
}

class DatagramTest : public testing::Test {
 protected:
  static TestEnd::Options Ud() {
    TestEnd::Options options;
    options.qp.type = QpType::kUd;
    return options;
  }

  TestFabric rig_;
  TestEnd sender_{rig_, kNicA, Ud()};
  TestEnd target_{rig_, kNicB, Ud()};
  uint16_t ah_ = sender_.Meet(target_);
};

TEST_F(DatagramTest, AGrhPrecedesThePayload) {
  sender_.memory.Fill(7);
  target_.qp.PostReceive(1, target_.memory.iova(), target_.mr.lkey, 1000);
  target_.qp.RingReceive();
  sender_.qp.PostAndRing(MakeSend(sender_, ah_, target_, 100));
  rig_.RunUntilIdle();
  EXPECT_EQ(sender_.ExpectSendCompletion().status(), CompletionStatus::kOk);
  EXPECT_EQ(target_.ExpectReceiveCompletion().byte_length(), 140u);
  EXPECT_EQ(target_.memory.data()[0], std::byte{0x60});
  EXPECT_EQ(target_.memory.data()[8], std::byte{0xfe});
  EXPECT_EQ(std::memcmp(target_.memory.data() + 40, sender_.memory.data(), 100), 0);
}

TEST_F(DatagramTest, WhatNobodyReceivesIsDroppedSilently) {
  sender_.qp.Post(MakeSend(sender_, ah_, target_, 100));  // no receive request
  efa_io_tx_wqe wrong = MakeSend(sender_, ah_, target_, 100);
  wrong.meta.dest_qp_num ^= 1;
  sender_.qp.PostAndRing(wrong);
  rig_.RunUntilIdle();
  EXPECT_EQ(sender_.ExpectSendCompletion().status(), CompletionStatus::kOk);
  EXPECT_EQ(sender_.ExpectSendCompletion().status(), CompletionStatus::kOk);
  EXPECT_EQ(target_.device.GetStats().rx_drops, 2u);
  EXPECT_EQ(target_.device.GetStats().recv_wrs, 0u);
  const Gid nobody = {0xfe, 0x80, 1};
  const uint16_t ah = sender_.device.CreateAh(sender_.pd, nobody).value();
  sender_.qp.PostAndRing(MakeSend(sender_, ah, target_, 100));
  rig_.RunUntilIdle();
  EXPECT_EQ(sender_.ExpectSendCompletion().status(), CompletionStatus::kOk);
}

TEST_F(DatagramTest, ReceiverTooShortForTheGrh) {
  target_.qp.PostReceive(1, target_.memory.iova(), target_.mr.lkey, 139);
  target_.qp.RingReceive();
  sender_.qp.PostAndRing(MakeSend(sender_, ah_, target_, 100));
  rig_.RunUntilIdle();
  EXPECT_EQ(sender_.ExpectSendCompletion().status(), CompletionStatus::kOk);
  EXPECT_EQ(target_.ExpectReceiveCompletion().status(), CompletionStatus::kLocalBadLength);
}

}  // namespace
}  // namespace railgauge::efa
