// Rings that wrap: send, receive and completion queue, several times each, at different depths.
#include <gtest/gtest.h>

#include "lib/emulator/device/test_rig.h"

namespace railgauge::efa {
namespace {

TestEnd::Options Rings(uint32_t sq_depth, uint32_t rq_depth, uint32_t cq_depth, uint32_t entry_size,
                       uint16_t num_sub_cqs) {
  TestEnd::Options options;
  options.bytes = 8192;
  options.qp.sq_depth = sq_depth;
  options.qp.rq_depth = rq_depth;
  options.cq.depth = cq_depth;
  options.cq.entry_size = entry_size;
  options.cq.num_sub_cqs = num_sub_cqs;
  return options;
}

struct Shape {
  uint32_t sq_depth, rq_depth, cq_depth, entry_size;
  uint16_t num_sub_cqs;
};

class RingTest : public testing::TestWithParam<Shape> {};

TEST_P(RingTest, EveryRequestCompletesOnceThroughManyLaps) {
  const Shape shape = GetParam();
  const TestEnd::Options options =
      Rings(shape.sq_depth, shape.rq_depth, shape.cq_depth, shape.entry_size, shape.num_sub_cqs);
  TestFabric rig;
  TestEnd sender(rig, kNicA, options);
  TestEnd target(rig, kNicB, options);
  const uint16_t ah = sender.Meet(target);
  uint16_t posted = 0, sent = 0, received = 0;
  // More than a lap of the 16-bit counters. The batches are of changing size and never more than
  // either ring holds.
  const uint32_t most = std::min({shape.sq_depth, shape.rq_depth, shape.cq_depth});
  for (uint32_t total = 0, step = 0; total < 70'000; ++step) {
    const uint32_t batch = 1 + step % most;
    for (uint32_t i = 0; i < batch; ++i) {
      target.qp.PostReceive(posted, target.memory.iova(), target.mr.lkey, 64);
      sender.qp.Post(MakeSend(sender, ah, target, 8, posted));
      ++posted;
    }
    target.qp.RingReceive();
    sender.qp.RingSend();
    rig.RunUntilIdle();
    for (uint32_t i = 0; i < batch; ++i) {
      const auto send = sender.send_cq.Poll();
      ASSERT_TRUE(send.has_value()) << total;
      ASSERT_EQ(send->status(), CompletionStatus::kOk);
      ASSERT_EQ(send->common.req_id, sent++);
      const auto receive = target.recv_cq.Poll();
      ASSERT_TRUE(receive.has_value()) << total;
      ASSERT_EQ(receive->common.req_id, received++);
    }
    ASSERT_FALSE(sender.send_cq.Poll().has_value());
    ASSERT_FALSE(target.recv_cq.Poll().has_value());
    total += batch;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, RingTest,
                         testing::Values(Shape{1, 1, 1, 32, 1}, Shape{2, 4, 8, 16, 2},
                                         Shape{16, 8, 16, 32, 2}, Shape{128, 128, 128, 16, 1},
                                         Shape{128, 64, 256, 32, 2}));

TEST(RingTest, TwoQpsShareACqOfTwoSubCqs) {
  TestFabric rig;
  TestEnd end(rig, kNicA);
  TestEnd target(rig, kNicB);
  const uint16_t ah = end.Meet(target);
  TestQp second(rig, kNicA, end.pd, end.uar, end.send_cq, end.send_cq, {});
  int of_first = 0, of_second = 0;
  for (uint16_t i = 0; i < 1000; ++i) {
    end.qp.PostAndRing(MakeRdma(SendOp::kRdmaRead, end, ah, target, 64, i));
    second.PostAndRing(MakeRdma(SendOp::kRdmaRead, end, ah, target, 64, i));
    rig.RunUntilIdle();
    for (int k = 0; k < 2; ++k) {
      const auto completion = end.send_cq.Poll();
      ASSERT_TRUE(completion.has_value());
      ASSERT_EQ(completion->common.req_id, i);
      ++(completion->common.qp_num == end.qp.number() ? of_first : of_second);
    }
  }
  EXPECT_EQ(of_first, 1000);
  EXPECT_EQ(of_second, 1000);
}

TEST(RingTest, AFullRingOfOneDoorbell) {
  TestFabric rig;
  TestEnd sender(rig, kNicA, Rings(128, 16, 128, 32, 2));
  TestEnd target(rig, kNicB);
  const uint16_t ah = sender.Meet(target);
  for (uint16_t i = 0; i < 128; ++i) {
    sender.qp.Post(MakeRdma(SendOp::kRdmaWrite, sender, ah, target, 8, i));
  }
  sender.qp.RingSend();
  rig.RunUntilIdle();
  for (uint16_t i = 0; i < 128; ++i) {
    EXPECT_EQ(sender.ExpectSendCompletion().common.req_id, i);
  }
}

TEST(RingTest, MoreThanTheDepthInFlightWaits) {
  TestFabric rig;
  TestEnd sender(rig, kNicA, Rings(4, 16, 64, 32, 2));
  TestEnd target(rig, kNicB);
  const uint16_t ah = sender.Meet(target);
  // A driver that counts completions would not post these; the ring's slots are free again as soon
  // as the device read them.
  for (uint16_t i = 0; i < 8; ++i) {
    sender.qp.PostAndRing(MakeRdma(SendOp::kRdmaRead, sender, ah, target, 64, i));
  }
  rig.RunUntilIdle();
  for (uint16_t i = 0; i < 8; ++i) {
    EXPECT_EQ(sender.ExpectSendCompletion().common.req_id, i);
  }
}

TEST(RingTest, OverrunOfACqThatReportsIsCounted) {
  TestFabric rig;
  TestEnd::Options options = Rings(16, 16, 4, 32, 1);
  options.cq.interrupt_mode = true;
  TestEnd sender(rig, kNicA, options);
  TestEnd target(rig, kNicB);
  const uint16_t ah = sender.Meet(target);
  for (uint16_t i = 0; i < 6; ++i) {
    sender.qp.Post(MakeRdma(SendOp::kRdmaRead, sender, ah, target, 64, i));
  }
  sender.qp.RingSend();
  rig.RunUntilIdle();
  EXPECT_EQ(sender.device.GetStats().cq_overruns, 2u);
  for (uint16_t i = 0; i < 4; ++i) EXPECT_EQ(sender.ExpectSendCompletion().common.req_id, i);
  EXPECT_FALSE(sender.send_cq.Poll().has_value());
  sender.send_cq.ReportConsumed();
  sender.qp.PostAndRing(MakeRdma(SendOp::kRdmaRead, sender, ah, target, 64, 7));
  rig.RunUntilIdle();
  EXPECT_EQ(sender.ExpectSendCompletion().common.req_id, 7);
}

TEST(RingTest, CompletionEvents) {
  TestFabric rig;
  TestEnd::Options options;
  options.cq.interrupt_mode = true;
  TestEnd sender(rig, kNicA, options);
  TestEnd target(rig, kNicB);
  const uint16_t ah = sender.Meet(target);
  const auto read = [&] {
    sender.qp.PostAndRing(MakeRdma(SendOp::kRdmaRead, sender, ah, target, 64));
    rig.RunUntilIdle();
  };
  read();
  EXPECT_TRUE(rig.events.empty());
  sender.send_cq.Arm();
  read();
  read();
  ASSERT_EQ(rig.events.size(), 1u);
  EXPECT_EQ(rig.events[0].first, kNicA);
  EXPECT_EQ(rig.events[0].second, sender.send_cq.number());
  sender.send_cq.Acknowledge();
  while (sender.send_cq.Poll()) sender.send_cq.ReportConsumed();
  sender.send_cq.Arm();
  read();
  EXPECT_EQ(rig.events.size(), 2u);
  // A flush raises it as well, from the command that causes it.
  sender.send_cq.Acknowledge();
  sender.send_cq.Arm();
  sender.qp.PostAndRing(MakeRdma(SendOp::kRdmaRead, sender, ah, target, 64));
  sender.qp.Modify(QpState::kErr);
  EXPECT_EQ(rig.events.size(), 3u);
}

}  // namespace
}  // namespace railgauge::efa
