#include "lib/emulator/device/qp.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace railgauge::efa {
namespace {

TEST(QpStateTest, EveryTransition) {
  // Rows: from RESET, INIT, RTR, RTS, SQD, SQE, ERR; columns: to the same. (RESET leads to ERR
  // here; a driver's own table may be stricter.)
  const bool allowed[7][7] = {
      {true, true, false, false, false, false, true},   // RESET
      {true, true, true, false, false, false, true},    // INIT
      {true, false, false, true, false, false, true},   // RTR
      {true, false, false, true, true, false, true},    // RTS
      {true, false, false, true, true, false, true},    // SQD
      {true, false, false, true, false, false, true},   // SQE
      {true, false, false, false, false, false, true},  // ERR
  };
  for (uint8_t from = 0; from < 7; ++from) {
    for (uint8_t to = 0; to < 7; ++to) {
      EXPECT_EQ(IsTransitionAllowed(static_cast<QpState>(from), static_cast<QpState>(to)),
                allowed[from][to])
          << int{from} << " to " << int{to};
    }
  }
}

TEST(DescriptorRingTest, CountersWrapAroundTheRingAnd16Bits) {
  std::vector<uint32_t> memory(8);
  DescriptorRing ring(reinterpret_cast<std::byte*>(memory.data()), 8);
  uint16_t counter = 0;
  for (uint32_t i = 0; i < 70'000; i += 7) {
    for (uint32_t k = 0; k < 7; ++k) memory[(i + k) % 8] = i + k;
    counter = static_cast<uint16_t>(counter + 7);
    ring.SetProducer(counter);
    ASSERT_EQ(ring.pending(), 7u);
    for (uint32_t k = 0; k < 7; ++k) {
      ASSERT_EQ(ring.Peek<uint32_t>(0), i + k);
      ring.Pop(1);
    }
  }
}

TEST(DescriptorRingTest, ImpossibleDoorbellsChangeNothing) {
  std::vector<uint32_t> memory(8);
  DescriptorRing ring(reinterpret_cast<std::byte*>(memory.data()), 8);
  ring.SetProducer(3);
  ring.SetProducer(9);       // more than the ring holds
  ring.SetProducer(0xffff);  // behind the consumer
  EXPECT_EQ(ring.pending(), 3u);
  ring.SetProducer(0x10008);  // 16 bits count
  EXPECT_EQ(ring.pending(), 8u);
  ring.Reset();
  EXPECT_EQ(ring.pending(), 0u);
  DescriptorRing none;
  none.SetProducer(1);
  EXPECT_EQ(none.pending(), 0u);
}

class TakeReceiveTest : public testing::Test {
 protected:
  TakeReceiveTest() { qp_.rq = DescriptorRing(reinterpret_cast<std::byte*>(ring_), 8); }

  void Post(uint16_t req_id, bool first, bool last) {
    efa_io_rx_desc descriptor{};
    descriptor.req_id = req_id;
    descriptor.length = 10;
    descriptor.lkey_ctrl = PutField(kRxFirst, first) | PutField(kRxLast, last);
    ring_[counter_ % 8] = descriptor;
    qp_.rq.SetProducer(++counter_);
  }

  efa_io_rx_desc ring_[8] = {};
  QueuePair qp_;
  uint16_t counter_ = 0;
};

TEST_F(TakeReceiveTest, RequestsOfSeveralDescriptorsAroundTheRing) {
  for (uint16_t i = 0; i < 100; ++i) {
    Post(i, true, false);
    Post(0, false, false);
    EXPECT_FALSE(qp_.TakeReceive(3).has_value());  // the last one is still to come
    Post(0, false, true);
    const auto request = qp_.TakeReceive(3);
    ASSERT_TRUE(request.has_value());
    EXPECT_EQ(request->req_id, i);
    EXPECT_FALSE(request->malformed);
    EXPECT_EQ(request->entries.size(), 3u);
    EXPECT_FALSE(qp_.TakeReceive(3).has_value());
  }
}

TEST_F(TakeReceiveTest, MalformedRequestsAreUsedUp) {
  Post(1, false, true);  // no first
  EXPECT_TRUE(qp_.TakeReceive(3).value().malformed);
  Post(2, true, false);
  Post(3, true, true);  // first again
  EXPECT_TRUE(qp_.TakeReceive(3).value().malformed);
  Post(4, true, false);
  Post(0, false, false);  // more than two
  EXPECT_FALSE(qp_.TakeReceive(2).has_value());
  Post(0, false, false);
  EXPECT_TRUE(qp_.TakeReceive(2).value().malformed);
  EXPECT_FALSE(qp_.TakeReceive(2).has_value());
}

TEST(QpTableTest, NumbersAreUniqueModuloTheTable) {
  QpTable table(100);
  std::set<uint32_t> modulo, handles;
  std::vector<QueuePair*> all;
  for (int i = 0; i < 100; ++i) {
    QueuePair* qp = table.Add();
    ASSERT_NE(qp, nullptr);
    EXPECT_NE(qp->number, 0);
    EXPECT_TRUE(modulo.insert(qp->number % 128).second);
    EXPECT_TRUE(handles.insert(qp->handle).second);
    EXPECT_EQ(table.FindByNumber(qp->number), qp);
    EXPECT_EQ(table.FindByHandle(qp->handle), qp);
    all.push_back(qp);
  }
  EXPECT_EQ(table.Add(), nullptr);
}

TEST(QpTableTest, NumbersOfDestroyedQpsAreStale) {
  QpTable table(1);
  std::set<uint16_t> numbers;
  for (int i = 0; i < 1000; ++i) {
    const QueuePair* qp = table.Add();
    const uint32_t handle = qp->handle;
    const uint16_t number = qp->number;
    EXPECT_TRUE(numbers.insert(number).second);
    table.Remove(handle);
    EXPECT_EQ(table.FindByHandle(handle), nullptr);
    EXPECT_EQ(table.FindByNumber(number), nullptr);
  }
}

TEST(QpTableTest, UnknownNumbers) {
  QpTable table(100);
  table.Add();
  EXPECT_EQ(table.FindByNumber(0), nullptr);
  EXPECT_EQ(table.FindByNumber(0xffff), nullptr);
  EXPECT_EQ(table.FindByHandle(0xffffffff), nullptr);
}

}  // namespace
}  // namespace railgauge::efa
