// RDMA read and write from ring to ring: data, completions, counters.
#include <gtest/gtest.h>

#include "lib/emulator/device/test_rig.h"

namespace railgauge::efa {
namespace {

class RdmaTest : public testing::Test {
 protected:
  TestFabric rig_;
  TestEnd initiator_{rig_, kNicA};
  TestEnd target_{rig_, kNicB};
  uint16_t ah_ = initiator_.Meet(target_);
};

TEST_F(RdmaTest, ReadBringsTheRemoteDataAtItsTime) {
  target_.memory.Fill(1);
  initiator_.qp.PostAndRing(MakeRdma(SendOp::kRdmaRead, initiator_, ah_, target_, 10'000, 7));
  const auto next = rig_.Poll();
  // 10,000 bytes at 12.5 GB/s take 800 ns.
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(*next - rig_.now(), kBaseLatency + Nanoseconds(800));
  EXPECT_FALSE(initiator_.send_cq.Poll().has_value());
  rig_.Advance(kBaseLatency + Nanoseconds(799));
  rig_.Poll();
  EXPECT_FALSE(initiator_.send_cq.Poll().has_value());
  rig_.Advance(Nanoseconds(1));
  EXPECT_FALSE(rig_.Poll().has_value());
  const TestCompletion completion = initiator_.ExpectSendCompletion();
  EXPECT_EQ(completion.status(), CompletionStatus::kOk);
  EXPECT_EQ(completion.common.req_id, 7);
  EXPECT_EQ(completion.op(), static_cast<uint32_t>(EFA_IO_RDMA_READ));
  EXPECT_TRUE(initiator_.memory.IsFilled(1, 0, 10'000));
  EXPECT_TRUE(initiator_.memory.IsZero(10'000, 100));
}

TEST_F(RdmaTest, WriteBringsTheDataThere) {
  initiator_.memory.Fill(2);
  initiator_.qp.PostAndRing(MakeRdma(SendOp::kRdmaWrite, initiator_, ah_, target_, 12'345, 1));
  rig_.RunUntilIdle();
  const TestCompletion completion = initiator_.ExpectSendCompletion();
  EXPECT_EQ(completion.status(), CompletionStatus::kOk);
  EXPECT_EQ(completion.op(), static_cast<uint32_t>(EFA_IO_RDMA_WRITE));
  EXPECT_TRUE(target_.memory.IsFilled(2, 0, 12'345));
  EXPECT_TRUE(target_.memory.IsZero(12'345, 100));
  EXPECT_FALSE(target_.recv_cq.Poll().has_value());
}

TEST_F(RdmaTest, CountersOfBothEnds) {
  initiator_.qp.Post(MakeRdma(SendOp::kRdmaRead, initiator_, ah_, target_, 10'000));
  initiator_.qp.Post(MakeRdma(SendOp::kRdmaWrite, initiator_, ah_, target_, 5'000));
  efa_io_tx_wqe bad_read = MakeRdma(SendOp::kRdmaRead, initiator_, ah_, target_, 1);
  bad_read.data.rdma_req.remote_mem.rkey ^= 1u << 31;
  initiator_.qp.Post(bad_read);
  efa_io_tx_wqe bad_write = MakeRdma(SendOp::kRdmaWrite, initiator_, ah_, target_, 1);
  bad_write.data.rdma_req.remote_mem.rkey ^= 1u << 31;
  initiator_.qp.PostAndRing(bad_write);
  rig_.RunUntilIdle();
  const DeviceStats local = initiator_.device.GetStats();
  EXPECT_EQ(local.rdma_read_wrs, 1u);
  EXPECT_EQ(local.rdma_read_bytes, 10'000u);
  EXPECT_EQ(local.rdma_read_wr_err, 1u);
  EXPECT_EQ(local.rdma_read_resp_bytes, 0u);
  EXPECT_EQ(local.rdma_write_wrs, 1u);
  EXPECT_EQ(local.rdma_write_bytes, 5'000u);
  EXPECT_EQ(local.rdma_write_wr_err, 1u);
  EXPECT_EQ(local.rdma_write_recv_bytes, 0u);
  EXPECT_EQ(local.tx_bytes, 5'000u);
  EXPECT_EQ(local.tx_pkts, 1u);
  EXPECT_EQ(local.rx_bytes, 10'000u);
  EXPECT_EQ(local.rx_pkts, 2u);
  const DeviceStats remote = target_.device.GetStats();
  EXPECT_EQ(remote.rdma_read_wrs, 0u);
  EXPECT_EQ(remote.rdma_read_resp_bytes, 10'000u);
  EXPECT_EQ(remote.rdma_write_recv_bytes, 5'000u);
  EXPECT_EQ(remote.rdma_write_bytes, 0u);
  EXPECT_EQ(remote.tx_bytes, 10'000u);
  EXPECT_EQ(remote.rx_bytes, 5'000u);
  const DeviceStats other = rig_.device(kNicC).GetStats();
  EXPECT_EQ(other.tx_bytes + other.rx_bytes, 0u);
}

}  // namespace
}  // namespace railgauge::efa
