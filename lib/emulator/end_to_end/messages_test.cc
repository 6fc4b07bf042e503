// SEND and RECEIVE, WRITE with immediate and datagrams between two emulated NICs.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "lib/emulator/end_to_end/messenger.h"

namespace railgauge {
namespace {

constexpr size_t kBytes = 256 * 1024;
constexpr size_t kMostOfASend = 8928;  // the port's max_msg_sz in the scenarios

class Messages : public testing::Test {
 protected:
  explicit Messages(const Messenger::Options& a = {}, const Messenger::Options& b = {})
      : a_(Scenario().nics[0].name, a), b_(Scenario().nics[1].name, b) {
    memory_a_.Fill(1);
    memory_b_.Fill(2);
  }

  Messenger::Request Send(size_t bytes) const {
    return a_.To(b_, to_b_.get(), {Piece(*mr_a_, 0, bytes)});
  }
  Messenger::Request Write(size_t bytes) const {
    Messenger::Request request = Send(bytes);
    request.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
    request.remote_address = reinterpret_cast<uint64_t>(mr_b_->addr);
    request.rkey = mr_b_->rkey;
    return request;
  }
  // What lies at `offset` of b's memory is the start of a's; all other bytes are as they were.
  bool BHoldsAt(size_t offset, size_t bytes) const {
    return std::memcmp(memory_b_.data() + offset, memory_a_.data(), bytes) == 0 &&
           memory_b_.IsFilled(2, 0, offset) && memory_b_.IsFilled(2, offset + bytes, kBytes);
  }

  Messenger a_, b_;
  Ah to_b_ = a_.AddressOf(b_), to_a_ = b_.AddressOf(a_);
  NodeMemory memory_a_{kBytes, 0}, memory_b_{kBytes, 1};
  Mr mr_a_ = a_.Register(memory_a_), mr_b_ = b_.Register(memory_b_);
};

TEST_F(Messages, SendOfEverySize) {
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{63}, size_t{4096}, kMostOfASend}) {
    memory_b_.Fill(2);
    b_.PostReceive({Piece(*mr_b_, 4096, 16'384)}, 7);
    Messenger::Request request = Send(bytes);
    request.id = 8;
    a_.Post(request);
    const Messenger::Completion sent = a_.Sent();
    EXPECT_EQ(sent.status, IBV_WC_SUCCESS);
    EXPECT_EQ(sent.opcode, IBV_WC_SEND);
    EXPECT_EQ(sent.id, 8u);
    const Messenger::Completion received = b_.Received();
    EXPECT_EQ(received.status, IBV_WC_SUCCESS);
    EXPECT_EQ(received.opcode, IBV_WC_RECV);
    EXPECT_EQ(received.id, 7u);
    EXPECT_EQ(received.bytes, bytes);
    EXPECT_EQ(received.source_qp, a_.qp->qp_num);
    EXPECT_FALSE(received.has_immediate);
    EXPECT_TRUE(BHoldsAt(4096, bytes)) << bytes;
  }
}

TEST_F(Messages, ImmediateAndInlineData) {
  b_.PostReceive({Piece(*mr_b_, 0, 100)}, 1);
  const std::string text = "thirty-two bytes and no register";
  ASSERT_EQ(text.size(), 32u);
  Messenger::Request request = Send(0);
  request.opcode = IBV_WR_SEND_WITH_IMM;
  request.immediate = 0x12345678;
  request.inline_data = text.data();
  request.inline_bytes = text.size();
  a_.Post(request);
  EXPECT_EQ(a_.Sent().status, IBV_WC_SUCCESS);
  const Messenger::Completion received = b_.Received();
  EXPECT_EQ(received.bytes, 32u);
  EXPECT_TRUE(received.has_immediate);
  EXPECT_EQ(received.immediate, 0x12345678u);
  EXPECT_EQ(std::memcmp(memory_b_.data(), text.data(), text.size()), 0);
}

TEST_F(Messages, TwoPiecesIntoTwo) {
  b_.PostReceive({Piece(*mr_b_, 0, 100), Piece(*mr_b_, 100, 5000)}, 1);
  a_.Post(a_.To(b_, to_b_.get(), {Piece(*mr_a_, 0, 1000), Piece(*mr_a_, 1000, 2000)}));
  EXPECT_EQ(a_.Sent().status, IBV_WC_SUCCESS);
  EXPECT_EQ(b_.Received().bytes, 3000u);
  EXPECT_TRUE(BHoldsAt(0, 3000));
}

TEST_F(Messages, LengthsThatDoNotFit) {
  b_.PostReceive({Piece(*mr_b_, 0, 99)}, 5);
  a_.Post(Send(100));
  EXPECT_EQ(a_.Sent().status, IBV_WC_REM_INV_REQ_ERR);
  const Messenger::Completion received = b_.Received();
  EXPECT_EQ(received.status, IBV_WC_LOC_LEN_ERR);
  EXPECT_EQ(received.id, 5u);
  EXPECT_TRUE(memory_b_.IsFilled(2));
  a_.Post(Send(kMostOfASend + 1));
  EXPECT_EQ(a_.Sent().status, IBV_WC_LOC_LEN_ERR);
  // Neither hurts the queue pairs.
  b_.PostReceive({Piece(*mr_b_, 0, 100)}, 6);
  a_.Post(Send(100));
  EXPECT_EQ(a_.Sent().status, IBV_WC_SUCCESS);
  EXPECT_EQ(b_.Received().id, 6u);
}

TEST_F(Messages, ASenderWaitsForTheReceiver) {
  a_.Post(Send(500));
  a_.Post(Write(600));
  // Both are under way for much longer than any latency by the time that b answers this.
  b_.Post(b_.To(a_, to_a_.get(), {}));
  EXPECT_FALSE(Messenger::Poll(a_.send_cq).has_value());
  a_.PostReceive(1);
  EXPECT_EQ(a_.Received().status, IBV_WC_SUCCESS);
  EXPECT_FALSE(Messenger::Poll(a_.send_cq).has_value());
  b_.PostReceive({Piece(*mr_b_, 8192, 8192)}, 1);
  b_.PostReceive({Piece(*mr_b_, 8192, 8192)}, 2);
  EXPECT_EQ(a_.Sent().status, IBV_WC_SUCCESS);
  EXPECT_EQ(a_.Sent().status, IBV_WC_SUCCESS);
  EXPECT_EQ(b_.Received().status, IBV_WC_SUCCESS);
  EXPECT_EQ(b_.Received().status, IBV_WC_SUCCESS);
}

TEST_F(Messages, WriteWithImmediateTakesAReceive) {
  for (const size_t bytes : {size_t{0}, size_t{100}, size_t{70'000}}) {
    memory_b_.Fill(2);
    b_.PostReceive(9);
    Messenger::Request request = Write(bytes);
    request.immediate = 0xfedcba98;
    a_.Post(request);
    const Messenger::Completion sent = a_.Sent();
    EXPECT_EQ(sent.status, IBV_WC_SUCCESS);
    EXPECT_EQ(sent.opcode, IBV_WC_RDMA_WRITE);
    const Messenger::Completion received = b_.Received();
    EXPECT_EQ(received.status, IBV_WC_SUCCESS);
    EXPECT_EQ(received.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
    EXPECT_EQ(received.id, 9u);
    EXPECT_EQ(received.bytes, bytes);
    EXPECT_TRUE(received.has_immediate);
    EXPECT_EQ(received.immediate, 0xfedcba98u);
    EXPECT_FALSE(received.unsolicited);
    EXPECT_TRUE(BHoldsAt(0, bytes)) << bytes;
  }
}

TEST_F(Messages, BothWaysThroughManyLapsOfTheRings) {
  constexpr uint32_t kMessages = 3000, kWindow = 32, kSlot = 4096;
  const auto slot = [](uint32_t i) { return size_t{i % kWindow} * kSlot; };
  uint32_t posted = 0, sent_a = 0, sent_b = 0, received_a = 0, received_b = 0;
  const size_t own = kWindow * kSlot;  // what is sent lies behind what is received
  while (received_a < kMessages || received_b < kMessages || sent_a < kMessages ||
         sent_b < kMessages) {
    const uint32_t done = std::min({sent_a, sent_b, received_a, received_b});
    for (; posted < std::min(kMessages, done + kWindow); ++posted) {
      a_.PostReceive({Piece(*mr_a_, slot(posted), kSlot)}, posted);
      b_.PostReceive({Piece(*mr_b_, slot(posted), kSlot)}, posted);
      Messenger::Request to_b = a_.To(b_, to_b_.get(), {Piece(*mr_a_, own, 1 + posted % kSlot)});
      Messenger::Request to_a = b_.To(a_, to_a_.get(), {Piece(*mr_b_, own, 1 + posted % kSlot)});
      to_b.opcode = to_a.opcode = IBV_WR_SEND_WITH_IMM;
      to_b.immediate = to_a.immediate = posted;
      a_.Post(to_b);
      b_.Post(to_a);
    }
    const auto check = [&](ibv_cq_ex* cq, uint32_t& count) {
      while (const auto completion = Messenger::Poll(cq)) {
        ASSERT_EQ(completion->status, IBV_WC_SUCCESS);
        if ((completion->opcode & IBV_WC_RECV) != 0) {
          ASSERT_EQ(completion->bytes, 1 + completion->immediate % kSlot);
        }
        ++count;
      }
    };
    check(a_.send_cq, sent_a);
    check(b_.send_cq, sent_b);
    check(a_.recv_cq, received_a);
    check(b_.recv_cq, received_b);
  }
  EXPECT_FALSE(Messenger::Poll(b_.recv_cq).has_value());
}

TEST_F(Messages, QueryOfAQueuePair) {
  constexpr int kAll = IBV_QP_STATE | IBV_QP_QKEY | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_CAP |
                       IBV_QP_SQ_PSN | IBV_QP_RNR_RETRY;
  ibv_qp_attr attributes = a_.Query(kAll);
  EXPECT_EQ(attributes.qp_state, IBV_QPS_RTS);
  EXPECT_EQ(attributes.cur_qp_state, IBV_QPS_RTS);
  EXPECT_EQ(attributes.qkey, Messenger::kQkey);
  EXPECT_EQ(attributes.port_num, 1);
  EXPECT_EQ(attributes.rnr_retry, 7);
  EXPECT_EQ(attributes.cap.max_send_wr, 64u);
  EXPECT_EQ(attributes.cap.max_recv_sge, 2u);
  ibv_qp_init_attr init = {};
  EXPECT_EQ(ibv_query_qp(a_.qp, &attributes, IBV_QP_ALT_PATH, &init), EOPNOTSUPP);
  a_.ToState(IBV_QPS_ERR);
  EXPECT_EQ(a_.Query(kAll).qp_state, IBV_QPS_ERR);
}

TEST_F(Messages, AnErrorStateFlushesAndAResetForgets) {
  b_.PostReceive({Piece(*mr_b_, 0, 100)}, 1);
  b_.PostReceive({Piece(*mr_b_, 0, 100)}, 2);
  b_.ToState(IBV_QPS_ERR);
  for (const uint64_t id : {1u, 2u}) {
    const Messenger::Completion flushed = b_.Received();
    EXPECT_EQ(flushed.status, IBV_WC_WR_FLUSH_ERR);
    EXPECT_EQ(flushed.id, id);
  }
  a_.Post(Send(10));
  EXPECT_EQ(a_.Sent().status, IBV_WC_REM_INV_RD_REQ_ERR);
  b_.ToState(IBV_QPS_RESET);
  b_.ToReady();
  b_.PostReceive({Piece(*mr_b_, 0, 100)}, 4);
  a_.Post(Send(10));
  EXPECT_EQ(a_.Sent().status, IBV_WC_SUCCESS);
  EXPECT_EQ(b_.Received().id, 4u);
}

class LimitedRetries : public Messages {
 protected:
  LimitedRetries() : Messages({.rnr_retry = 0}) {}
};

TEST_F(LimitedRetries, EndWithoutAReceiver) {
  a_.Post(Send(10));
  EXPECT_EQ(a_.Sent().status, IBV_WC_RNR_RETRY_EXC_ERR);
  a_.Post(Write(10));
  EXPECT_EQ(a_.Sent().status, IBV_WC_RNR_RETRY_EXC_ERR);
}

class UnsolicitedWrites : public Messages {
 protected:
  UnsolicitedWrites() : Messages({.rnr_retry = 0}, {.unsolicited_writes = true}) {}
};

TEST_F(UnsolicitedWrites, AreToldOfWithoutAReceive) {
  for (uint32_t i = 0; i < 200; ++i) {  // more than the CQ holds
    Messenger::Request request = Write(1 + i);
    request.immediate = i;
    a_.Post(request);
    EXPECT_EQ(a_.Sent().status, IBV_WC_SUCCESS);
    const Messenger::Completion received = b_.Received();
    ASSERT_EQ(received.status, IBV_WC_SUCCESS);
    EXPECT_EQ(received.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
    EXPECT_TRUE(received.unsolicited);
    EXPECT_EQ(received.immediate, i);
    EXPECT_EQ(received.bytes, 1 + i);
  }
  EXPECT_TRUE(BHoldsAt(0, 200));
  // A SEND to the same queue pair takes a receive request as ever.
  a_.Post(Send(10));
  EXPECT_EQ(a_.Sent().status, IBV_WC_RNR_RETRY_EXC_ERR);
  b_.PostReceive({Piece(*mr_b_, 1000, 100)}, 3);
  a_.Post(Send(10));
  EXPECT_EQ(a_.Sent().status, IBV_WC_SUCCESS);
  const Messenger::Completion received = b_.Received();
  EXPECT_FALSE(received.unsolicited);
  EXPECT_EQ(received.id, 3u);
}

class Datagrams : public Messages {
 protected:
  Datagrams() : Messages({.datagrams = true}, {.datagrams = true}) {}
};

TEST_F(Datagrams, HaveARouteHeaderAndGetLost) {
  constexpr size_t kHeader = 40;
  a_.Post(Send(100));  // nobody listens, and nobody tells
  EXPECT_EQ(a_.Sent().status, IBV_WC_SUCCESS);
  b_.PostReceive({Piece(*mr_b_, 0, 1000)}, 1);
  a_.Post(Send(100));
  EXPECT_EQ(a_.Sent().status, IBV_WC_SUCCESS);
  const Messenger::Completion received = b_.Received();
  EXPECT_EQ(received.status, IBV_WC_SUCCESS);
  EXPECT_EQ(received.bytes, 100 + kHeader);
  EXPECT_EQ(std::memcmp(memory_b_.data() + 8, &a_.gid, sizeof a_.gid), 0);
  EXPECT_EQ(std::memcmp(memory_b_.data() + kHeader, memory_a_.data(), 100), 0);
}

TEST(Strangers, AreNamedByTheirGid) {
  Messenger a(Scenario().nics[0].name), b(Scenario().nics[1].name);
  const Ah to_b = a.AddressOf(b);  // and b knows nothing of a
  b.PostReceive(1);
  a.Post(a.To(b, to_b.get(), {}));
  EXPECT_EQ(a.Sent().status, IBV_WC_SUCCESS);
  const Messenger::Completion received = b.Received();
  ASSERT_TRUE(received.knows_source_gid);
  EXPECT_EQ(std::memcmp(&received.source_gid, &a.gid, sizeof a.gid), 0);
}

}  // namespace
}  // namespace railgauge
