// Queue pairs whose process died, as their peers see them; and machines beside each other.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "lib/emulator/device/test_rig.h"

namespace railgauge::efa {
namespace {

class DeadPeerTest : public testing::Test {
 protected:
  LocalDevice& target_device() { return rig_.device(kNicB); }
  CompletionStatus Read(uint32_t length = 1000) {
    initiator_.qp.PostAndRing(MakeRdma(SendOp::kRdmaRead, initiator_, ah_, target_, length));
    rig_.RunUntilIdle();
    return initiator_.ExpectSendCompletion().status();
  }

  TestFabric rig_;
  TestEnd initiator_{rig_, kNicA};
  TestEnd target_{rig_, kNicB};
  uint16_t ah_ = initiator_.Meet(target_);
};

TEST_F(DeadPeerTest, UnresponsiveWhenItAnsweredBefore) {
  ASSERT_EQ(Read(), CompletionStatus::kOk);
  ASSERT_EQ(target_device().AbandonQp(target_.qp.handle()), AdminStatus::kSuccess);
  EXPECT_EQ(Read(), CompletionStatus::kUnrespRemote);
  EXPECT_EQ(rig_.device(kNicA).GetStats().unresponsive_remote_events, 1u);
}

TEST_F(DeadPeerTest, AnErrorOfTheRemoteIsAnAnswerToo) {
  efa_io_tx_wqe bad = MakeRdma(SendOp::kRdmaRead, initiator_, ah_, target_, 100);
  bad.data.rdma_req.remote_mem.rkey ^= 1;
  initiator_.qp.PostAndRing(bad);
  rig_.RunUntilIdle();
  ASSERT_EQ(initiator_.ExpectSendCompletion().status(), CompletionStatus::kBadAddress);
  target_device().AbandonQp(target_.qp.handle());
  EXPECT_EQ(Read(), CompletionStatus::kUnrespRemote);
}

TEST_F(DeadPeerTest, UnreachableWhenItNeverAnswered) {
  target_device().AbandonQp(target_.qp.handle());
  EXPECT_EQ(Read(), CompletionStatus::kUnreachRemote);
}

TEST_F(DeadPeerTest, DestroyedInOrderIsAnotherCase) {
  ASSERT_EQ(Read(), CompletionStatus::kOk);
  target_device().DestroyQp(target_.qp.handle());
  EXPECT_EQ(Read(), CompletionStatus::kBadDestQpn);
}

TEST_F(DeadPeerTest, RequestsUnderWayFail) {
  ASSERT_EQ(Read(), CompletionStatus::kOk);
  target_.memory.Fill(3);
  for (uint16_t i = 0; i < 4; ++i) {
    initiator_.qp.PostAndRing(MakeRdma(SendOp::kRdmaRead, initiator_, ah_, target_, 1000, i));
  }
  initiator_.qp.PostAndRing(MakeSend(initiator_, ah_, target_, 100, 4));
  target_device().AbandonQp(target_.qp.handle());
  rig_.RunUntilIdle();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(initiator_.ExpectSendCompletion().status(), CompletionStatus::kUnrespRemote);
  }
  EXPECT_TRUE(initiator_.memory.IsZero(0, 1000));
}

TEST_F(DeadPeerTest, MemoryThatIsGoneWithItsProcessBeforeTheFabricKnows) {
  ASSERT_EQ(Read(), CompletionStatus::kOk);
  rig_.copy = [](void*, const void*, size_t) { return CopyOutcome::kSourceGone; };
  EXPECT_EQ(Read(), CompletionStatus::kUnrespRemote);
  rig_.copy = [](void*, const void*, size_t) { return CopyOutcome::kDestinationGone; };
  EXPECT_EQ(Read(), CompletionStatus::kInvalidLkey);  // the initiator's own: it will not see it
}

TEST_F(DeadPeerTest, ObjectsAreCounted) {
  const ObjectCounts before = target_device().CountObjects();
  EXPECT_EQ(before.qps, 1u);
  EXPECT_EQ(before.cqs, 2u);
  EXPECT_EQ(before.mrs, 1u);
  EXPECT_EQ(before.ahs, 1u);
  EXPECT_GT(before.llq_bytes, 0u);
  target_device().AbandonQp(target_.qp.handle());
  EXPECT_EQ(target_device().CountObjects().qps, 0u);
  EXPECT_EQ(target_device().CountObjects().llq_bytes, 0u);
}

TEST(NodesOfAFabricTest, TheSameNicOnTwoMachines) {
  std::vector<EmulatedMachine> machines = {MakeTestMachine(), MakeTestMachine()};
  for (EmulatedNic& nic : machines[1].nics) nic.gid.replace(20, 4, "0001");
  machines[1].host_and_dmabuf_ids[{kNicA, kNode0}].recv = 77;
  DmaSpace dma_space;
  Fabric fabric(machines, &dma_space,
                {.now = [] { return Nanoseconds(1); },
                 .wake = {},
                 .completion_event = {},
                 .device_removed = {},
                 .copy = {},
                 .between_copies = {}});
  std::array<std::byte, 8192> bars{};
  const BarMemory memory{std::span(bars).first(4096), std::span(bars).last(4096)};
  Device* zero = fabric.AddDevice(0, kNicA, memory);
  Device* one = fabric.AddDevice(1, kNicA, memory);
  EXPECT_EQ(fabric.AddDevice(2, kNicA, memory), nullptr);
  ASSERT_TRUE(zero != nullptr && one != nullptr);
  EXPECT_NE(zero->GetAttributes().gid, one->GetAttributes().gid);
  const TestMemory registered(&dma_space, 4096);
  const auto id_on = [&](Device* device) {
    return device->RegMr(MakeRegMr(device->AllocPd().value(), registered, kLocalWrite))
        .value()
        .recv_ic_id;
  };
  EXPECT_NE(id_on(zero), 77);
  EXPECT_EQ(id_on(one), 77);
}

}  // namespace
}  // namespace railgauge::efa
