#include "lib/emulator/device/wqe.h"

#include <gtest/gtest.h>

#include <cstring>

namespace railgauge::efa {
namespace {

efa_io_tx_wqe MakeWqe(uint32_t op) {
  efa_io_tx_wqe wqe{};
  wqe.meta.req_id = 42;
  wqe.meta.ctrl1 = static_cast<uint8_t>(PutField(kTxMetaDesc, 1) | PutField(kTxOpType, op));
  wqe.meta.ctrl2 = static_cast<uint8_t>(PutField(kTxFirst, 1) | PutField(kTxLast, 1) |
                                        PutField(kTxCompletionRequested, 1));
  wqe.meta.dest_qp_num = 7;
  wqe.meta.ah = 3;
  wqe.meta.qkey = 0x1234;
  wqe.meta.length = 1;
  return wqe;
}

TEST(WqeTest, Send) {
  efa_io_tx_wqe wqe = MakeWqe(EFA_IO_SEND);
  wqe.meta.length = 2;
  wqe.data.sgl[0] = {100, 0xff000001, 0x89abcdef, 0x01234567};
  wqe.data.sgl[1] = {200, 2, 1, 0};
  const SendRequest request = DecodeSend(wqe);
  EXPECT_EQ(request.status, CompletionStatus::kOk);
  EXPECT_EQ(request.req_id, 42);
  EXPECT_EQ(request.op, SendOp::kSend);
  EXPECT_TRUE(request.completion_requested);
  EXPECT_FALSE(request.has_imm);
  EXPECT_EQ(request.dest_qp_num, 7);
  EXPECT_EQ(request.ah, 3);
  EXPECT_EQ(request.qkey, 0x1234u);
  ASSERT_EQ(request.entry_count, 2u);
  EXPECT_EQ(request.entries[0].address, 0x0123456789abcdefu);
  EXPECT_EQ(request.entries[0].lkey, 1u);  // 24 bits
  EXPECT_EQ(request.entries[0].length, 100u);
  EXPECT_EQ(request.entries[1].length, 200u);
}

TEST(WqeTest, InlineSendWithImmediate) {
  efa_io_tx_wqe wqe = MakeWqe(EFA_IO_SEND);
  wqe.meta.ctrl1 =
      static_cast<uint8_t>(wqe.meta.ctrl1 | PutField(kTxInline, 1) | PutField(kTxHasImm, 1));
  wqe.meta.immediate_data = 99;
  wqe.meta.length = 5;
  std::memcpy(wqe.data.inline_data, "hello", 5);
  const SendRequest request = DecodeSend(wqe);
  EXPECT_EQ(request.status, CompletionStatus::kOk);
  EXPECT_TRUE(request.is_inline);
  EXPECT_TRUE(request.has_imm);
  EXPECT_EQ(request.imm, 99u);
  EXPECT_EQ(request.inline_length, 5u);
  EXPECT_EQ(request.entry_count, 0u);
  EXPECT_EQ(std::memcmp(request.inline_data.data(), "hello", 5), 0);
}

TEST(WqeTest, Rdma) {
  efa_io_tx_wqe wqe = MakeWqe(EFA_IO_RDMA_WRITE);
  wqe.data.rdma_req.remote_mem = {1000, 0xabcdef01, 2, 1};
  wqe.data.rdma_req.local_mem[0] = {1000, 5, 4, 3};
  const SendRequest request = DecodeSend(wqe);
  EXPECT_EQ(request.status, CompletionStatus::kOk);
  EXPECT_EQ(request.op, SendOp::kRdmaWrite);
  EXPECT_EQ(request.rkey, 0xabcdef01u);
  EXPECT_EQ(request.remote_address, 0x100000002u);
  EXPECT_EQ(request.remote_length, 1000u);
  ASSERT_EQ(request.entry_count, 1u);
  EXPECT_EQ(request.entries[0].address, 0x300000004u);
}

TEST(WqeTest, ThePhaseDoesNotCount) {
  efa_io_tx_wqe wqe = MakeWqe(EFA_IO_RDMA_READ);
  EXPECT_EQ(DecodeSend(wqe).status, CompletionStatus::kOk);
  wqe.meta.ctrl2 = static_cast<uint8_t>(wqe.meta.ctrl2 | kTxPhase);
  EXPECT_EQ(DecodeSend(wqe).status, CompletionStatus::kOk);
}

TEST(WqeTest, WhatIsNoRequest) {
  const auto status = [](uint32_t op, auto change) {
    efa_io_tx_wqe wqe = MakeWqe(op);
    change(wqe);
    return DecodeSend(wqe).status;
  };
  const auto clear = [](uint8_t& field, uint32_t mask) {
    field = static_cast<uint8_t>(field & ~mask);
  };
  const auto set = [](uint8_t& field, uint32_t mask) {
    field = static_cast<uint8_t>(field | mask);
  };
  for (uint32_t op = 3; op < 16; ++op) {
    EXPECT_EQ(status(op, [](auto&) {}), CompletionStatus::kUnsupportedOp);
  }
  using Status = CompletionStatus;
  EXPECT_EQ(status(0, [&](auto& w) { clear(w.meta.ctrl1, kTxMetaDesc); }),
            Status::kQpInternalError);
  EXPECT_EQ(status(0, [&](auto& w) { set(w.meta.ctrl1, kTxMetaExtension); }),
            Status::kQpInternalError);
  EXPECT_EQ(status(0, [&](auto& w) { clear(w.meta.ctrl2, kTxFirst); }), Status::kQpInternalError);
  EXPECT_EQ(status(0, [&](auto& w) { clear(w.meta.ctrl2, kTxLast); }), Status::kQpInternalError);
  EXPECT_EQ(status(0, [](auto& w) { w.meta.length = 3; }), Status::kLocalBadLength);
  EXPECT_EQ(status(1, [](auto& w) { w.meta.length = 2; }), Status::kLocalBadLength);
  EXPECT_EQ(status(2, [](auto& w) { w.meta.length = 0xffff; }), Status::kLocalBadLength);
  EXPECT_EQ(status(2, [&](auto& w) { set(w.meta.ctrl1, kTxInline); }), Status::kUnsupportedOp);
  EXPECT_EQ(status(1, [&](auto& w) { set(w.meta.ctrl1, kTxHasImm); }), Status::kUnsupportedOp);
  EXPECT_EQ(status(0,
                   [&](auto& w) {
                     set(w.meta.ctrl1, kTxInline);
                     w.meta.length = 33;
                   }),
            Status::kLocalBadLength);
}

TEST(WqeTest, Receive) {
  efa_io_rx_desc descriptor{};
  descriptor.buf_addr_lo = 2;
  descriptor.buf_addr_hi = 1;
  descriptor.req_id = 9;
  descriptor.length = 65535;
  descriptor.lkey_ctrl = 0x40abcdef;
  ReceiveDescriptor decoded = DecodeReceive(descriptor);
  EXPECT_EQ(decoded.req_id, 9);
  EXPECT_TRUE(decoded.first);
  EXPECT_FALSE(decoded.last);
  EXPECT_EQ(decoded.entry.address, 0x100000002u);
  EXPECT_EQ(decoded.entry.lkey, 0xabcdefu);
  EXPECT_EQ(decoded.entry.length, 65535u);
  descriptor.lkey_ctrl = 0x80000000;
  decoded = DecodeReceive(descriptor);
  EXPECT_FALSE(decoded.first);
  EXPECT_TRUE(decoded.last);
}

}  // namespace
}  // namespace railgauge::efa
