#include "lib/emulator/device/cq.h"

#include <gtest/gtest.h>

#include <cstring>

namespace railgauge::efa {
namespace {

using Outcome = CompletionQueue::Outcome;

class CqTest : public testing::Test {
 protected:
  CompletionQueue::Shape Shape(uint32_t depth, uint16_t num_sub_cqs, uint32_t entry_size) {
    return {
        reinterpret_cast<std::byte*>(ring_.data()), depth, num_sub_cqs, entry_size, false, false};
  }

  efa_io_rx_cdesc_ex Entry(uint32_t index, uint32_t entry_size) const {
    efa_io_rx_cdesc_ex entry{};
    std::memcpy(&entry, reinterpret_cast<const std::byte*>(ring_.data()) + index * entry_size,
                entry_size);
    return entry;
  }

  std::vector<uint64_t> ring_ = std::vector<uint64_t>(4096);
};

TEST_F(CqTest, PhaseFlipsWithEveryLapOfEachSubCq) {
  for (const uint32_t entry_size : {16u, 32u}) {
    std::fill(ring_.begin(), ring_.end(), 0);
    CompletionQueue cq(Shape(4, 2, entry_size));
    for (uint16_t i = 0; i < 4 * 5; ++i) {
      Completion completion;
      completion.req_id = i;
      EXPECT_EQ(cq.Write(1, completion), Outcome::kWritten);
      const efa_io_cdesc_common common = Entry(4 + i % 4, entry_size).base.common;
      EXPECT_EQ(common.req_id, i);
      EXPECT_EQ(GetField(common.flags, kCompletionPhase), i / 4 % 2 == 0 ? 1u : 0u);
    }
    // The other sub-CQ is untouched and starts with phase 1.
    EXPECT_EQ(Entry(0, entry_size).base.common.flags, 0);
    cq.Write(0, Completion());
    EXPECT_EQ(GetField(Entry(0, entry_size).base.common.flags, kCompletionPhase), 1u);
  }
}

TEST_F(CqTest, SendEntry) {
  CompletionQueue cq(Shape(4, 1, 32));
  Completion completion;
  completion.req_id = 0x1234;
  completion.status = CompletionStatus::kBadAddress;
  completion.op = SendOp::kRdmaWrite;
  completion.qp_num = 99;
  cq.Write(0, completion);
  const efa_io_cdesc_common common = Entry(0, 32).base.common;
  EXPECT_EQ(common.req_id, 0x1234);
  EXPECT_EQ(common.status, 7);
  EXPECT_EQ(common.qp_num, 99);
  EXPECT_EQ(common.flags, 1 | (1 << 1) | (2 << 4));
}

TEST_F(CqTest, ReceiveEntries) {
  CompletionQueue::Shape shape = Shape(4, 1, 32);
  shape.set_src_addr = true;
  CompletionQueue cq(shape);
  Completion completion;
  completion.queue = QueueType::kReceive;
  completion.op = SendOp::kRdmaWrite;
  completion.has_imm = true;
  completion.unsolicited = true;
  completion.imm = 0xdeadbeef;
  completion.length = 0x12345678;
  completion.ah = 5;
  completion.src_qp_num = 17;
  cq.Write(0, completion);
  efa_io_rx_cdesc_ex entry = Entry(0, 32);
  EXPECT_EQ(entry.base.common.flags, 1 | (2 << 1) | (1 << 3) | (2 << 4) | (1 << 7));
  EXPECT_EQ(entry.base.length, 0x5678);
  EXPECT_EQ(entry.u.rdma_write.length_hi, 0x1234);
  EXPECT_EQ(entry.base.ah, 5);
  EXPECT_EQ(entry.base.src_qp_num, 17);
  EXPECT_EQ(entry.base.imm, 0xdeadbeef);

  Completion unknown;
  unknown.queue = QueueType::kReceive;
  unknown.src_gid = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9};
  cq.Write(0, unknown);
  entry = Entry(1, 32);
  EXPECT_EQ(entry.base.ah, kUnknownAh);
  EXPECT_EQ(std::memcmp(entry.u.src_addr, unknown.src_gid.data(), 16), 0);
}

TEST_F(CqTest, SubCqsInTurn) {
  CompletionQueue cq(Shape(4, 2, 32));
  EXPECT_EQ(cq.AssignSubCq(), 0);
  EXPECT_EQ(cq.AssignSubCq(), 1);
  EXPECT_EQ(cq.AssignSubCq(), 0);
}

TEST_F(CqTest, OneEventForOneArming) {
  CompletionQueue cq(Shape(16, 1, 32));
  EXPECT_EQ(cq.Write(0, {}), Outcome::kWritten);
  cq.Doorbell(0);  // consumer index only
  EXPECT_EQ(cq.Write(0, {}), Outcome::kWritten);
  cq.Doorbell(kCqDoorbellArmMask);
  EXPECT_EQ(cq.Write(0, {}), Outcome::kWrittenWithEvent);
  EXPECT_EQ(cq.Write(0, {}), Outcome::kWritten);
  // Armed again before the event was read: the event that is under way serves it.
  cq.Doorbell(kCqDoorbellArmMask);
  EXPECT_EQ(cq.Write(0, {}), Outcome::kWritten);
  cq.Doorbell(kCqDoorbellArmMask | PutField(kCqDoorbellCommandSequenceMask, 1));
  // libefa writes the consumer index without the arm bit when it polls: still armed.
  cq.Doorbell(PutField(kCqDoorbellCommandSequenceMask, 1) | 3);
  EXPECT_EQ(cq.Write(0, {}), Outcome::kWrittenWithEvent);
}

TEST_F(CqTest, OverrunIsSeenWhereTheReaderReports) {
  CompletionQueue::Shape shape = Shape(4, 1, 32);
  shape.interrupt_mode = true;
  CompletionQueue cq(shape);
  // More than a lap of the 16-bit index.
  for (uint32_t lap = 0; lap < 70'000; lap += 4) {
    for (int i = 0; i < 4; ++i) ASSERT_EQ(cq.Write(0, {}), Outcome::kWritten);
    ASSERT_EQ(cq.Write(0, {}), Outcome::kOverrun);
    cq.Doorbell((lap + 4) & 0xffff);
  }
}

}  // namespace
}  // namespace railgauge::efa
