// Every completion status that a request can end with, and that the QP stays usable.
#include <gtest/gtest.h>

#include "lib/emulator/device/test_rig.h"

namespace railgauge::efa {
namespace {

class StatusTest : public testing::Test {
 protected:
  static TestEnd::Options Small() {
    TestEnd::Options options;
    options.bytes = 16 * 1024;
    return options;
  }

  // Ends `wqe` with `status`, and then a good request with success.
  void ExpectStatus(const efa_io_tx_wqe& wqe, CompletionStatus status) {
    initiator_.qp.PostAndRing(wqe);
    rig_.RunUntilIdle();
    const TestCompletion completion = initiator_.ExpectSendCompletion();
    EXPECT_EQ(completion.status(), status);
    EXPECT_EQ(completion.common.req_id, wqe.meta.req_id);
    initiator_.qp.PostAndRing(Read());
    rig_.RunUntilIdle();
    EXPECT_EQ(initiator_.ExpectSendCompletion().status(), CompletionStatus::kOk);
    EXPECT_FALSE(initiator_.send_cq.Poll().has_value());
    EXPECT_FALSE(target_.recv_cq.Poll().has_value());
  }

  template <typename Change>
  void ExpectStatusOf(SendOp op, Change change, CompletionStatus status) {
    efa_io_tx_wqe wqe = op == SendOp::kSend ? MakeSend(initiator_, ah_, target_, 100, 5)
                                            : MakeRdma(op, initiator_, ah_, target_, 100, 5);
    change(wqe);
    ExpectStatus(wqe, status);
  }

  efa_io_tx_wqe Read(uint32_t length = 100) {
    return MakeRdma(SendOp::kRdmaRead, initiator_, ah_, target_, length, 5);
  }
  efa_io_tx_wqe Write(uint32_t length = 100) {
    return MakeRdma(SendOp::kRdmaWrite, initiator_, ah_, target_, length, 5);
  }

  // The buffer again, under other keys.
  RegMrResult Register(TestEnd& end, uint16_t pd, uint32_t permissions) {
    return end.device.RegMr(MakeRegMr(pd, end.memory, permissions)).value();
  }

  TestFabric rig_;
  TestEnd initiator_{rig_, kNicA, Small()};
  TestEnd target_{rig_, kNicB, Small()};
  uint16_t ah_ = initiator_.Meet(target_);
};

TEST_F(StatusTest, BadRkey) {
  for (const SendOp op : {SendOp::kRdmaRead, SendOp::kRdmaWrite}) {
    ExpectStatusOf(
        op, [](auto& w) { w.data.rdma_req.remote_mem.rkey = 0; }, CompletionStatus::kBadAddress);
    ExpectStatusOf(
        op, [](auto& w) { w.data.rdma_req.remote_mem.rkey ^= 1; }, CompletionStatus::kBadAddress);
    // The upper bits, which an lkey does not have.
    ExpectStatusOf(
        op, [](auto& w) { w.data.rdma_req.remote_mem.rkey ^= 1u << 31; },
        CompletionStatus::kBadAddress);
    // The initiator's own key means nothing to the target.
    ExpectStatusOf(
        op, [&](auto& w) { w.data.rdma_req.remote_mem.rkey = initiator_.mr.rkey + (7u << 24); },
        CompletionStatus::kBadAddress);
  }
}

TEST_F(StatusTest, StaleRkey) {
  const RegMrResult stale = Register(target_, target_.pd, kLocalWrite | kRemoteRead | kRemoteWrite);
  ASSERT_EQ(target_.device.DeregMr(stale.lkey), AdminStatus::kSuccess);
  for (const SendOp op : {SendOp::kRdmaRead, SendOp::kRdmaWrite}) {
    ExpectStatusOf(
        op, [&](auto& w) { w.data.rdma_req.remote_mem.rkey = stale.rkey; },
        CompletionStatus::kBadAddress);
  }
}

TEST_F(StatusTest, RemoteRange) {
  const auto at = [&](uint64_t address) {
    return [address](efa_io_tx_wqe& w) {
      w.data.rdma_req.remote_mem.buf_addr_lo = static_cast<uint32_t>(address);
      w.data.rdma_req.remote_mem.buf_addr_hi = static_cast<uint32_t>(address >> 32);
    };
  };
  const uint64_t start = target_.memory.iova();
  for (const SendOp op : {SendOp::kRdmaRead, SendOp::kRdmaWrite}) {
    ExpectStatusOf(op, at(start + target_.memory.size() - 100), CompletionStatus::kOk);
    ExpectStatusOf(op, at(start + target_.memory.size() - 99), CompletionStatus::kBadAddress);
    ExpectStatusOf(op, at(start - 1), CompletionStatus::kBadAddress);
    ExpectStatusOf(op, at(0), CompletionStatus::kBadAddress);
    ExpectStatusOf(op, at(~uint64_t{0} - 50), CompletionStatus::kBadAddress);
  }
}

TEST_F(StatusTest, RemotePermissions) {
  const auto with = [&](uint32_t permissions) {
    const uint32_t rkey = Register(target_, target_.pd, permissions).rkey;
    return [rkey](efa_io_tx_wqe& w) { w.data.rdma_req.remote_mem.rkey = rkey; };
  };
  ExpectStatusOf(SendOp::kRdmaWrite, with(kLocalWrite | kRemoteRead),
                 CompletionStatus::kBadAddress);
  ExpectStatusOf(SendOp::kRdmaRead, with(kLocalWrite | kRemoteWrite),
                 CompletionStatus::kBadAddress);
  ExpectStatusOf(SendOp::kRdmaRead, with(kRemoteRead), CompletionStatus::kOk);
  ExpectStatusOf(SendOp::kRdmaWrite, with(kLocalWrite | kRemoteWrite), CompletionStatus::kOk);
}

TEST_F(StatusTest, RemotePd) {
  const uint16_t other = target_.device.AllocPd().value();
  const RegMrResult mr = Register(target_, other, kLocalWrite | kRemoteRead | kRemoteWrite);
  ExpectStatusOf(
      SendOp::kRdmaRead, [&](auto& w) { w.data.rdma_req.remote_mem.rkey = mr.rkey; },
      CompletionStatus::kBadAddress);
}

TEST_F(StatusTest, LocalKey) {
  const auto invalid = CompletionStatus::kInvalidLkey;
  const RegMrResult stale = Register(initiator_, initiator_.pd, kLocalWrite);
  initiator_.device.DeregMr(stale.lkey);
  const RegMrResult read_only = Register(initiator_, initiator_.pd, 0);
  const uint16_t other_pd = initiator_.device.AllocPd().value();
  const RegMrResult elsewhere = Register(initiator_, other_pd, kLocalWrite);
  for (const SendOp op : {SendOp::kRdmaRead, SendOp::kRdmaWrite}) {
    const auto local = [](efa_io_tx_wqe& w) -> efa_io_tx_buf_desc& {
      return w.data.rdma_req.local_mem[0];
    };
    ExpectStatusOf(
        op, [&](auto& w) { local(w).lkey = 0; }, invalid);
    ExpectStatusOf(
        op, [&](auto& w) { local(w).lkey ^= 1; }, invalid);
    ExpectStatusOf(
        op, [&](auto& w) { local(w).lkey = stale.lkey; }, invalid);
    ExpectStatusOf(
        op, [&](auto& w) { local(w).lkey = elsewhere.lkey; }, invalid);
    ExpectStatusOf(
        op, [&](auto& w) { local(w).buf_addr_hi ^= 1; }, invalid);
    // A read writes to local memory, a write only reads it.
    ExpectStatusOf(
        op, [&](auto& w) { local(w).lkey = read_only.lkey; },
        op == SendOp::kRdmaRead ? invalid : CompletionStatus::kOk);
  }
  ExpectStatusOf(
      SendOp::kSend, [](auto& w) { w.data.sgl[0].lkey ^= 1; }, invalid);
}

TEST_F(StatusTest, Lengths) {
  const auto bad = CompletionStatus::kLocalBadLength;
  const auto with = [](uint32_t local, uint32_t remote) {
    return [local, remote](efa_io_tx_wqe& w) {
      w.data.rdma_req.local_mem[0].length = local;
      w.data.rdma_req.remote_mem.length = remote;
    };
  };
  for (const SendOp op : {SendOp::kRdmaRead, SendOp::kRdmaWrite}) {
    ExpectStatusOf(op, with((1u << 30) + 1, (1u << 30) + 1), bad);
    ExpectStatusOf(op, with(~0u, ~0u), bad);
    ExpectStatusOf(op, with(100, 101), bad);
    ExpectStatusOf(
        op, [](auto& w) { w.meta.length = 2; }, bad);
  }
  // A SEND is limited to the MTU.
  ExpectStatusOf(
      SendOp::kSend, [](auto& w) { w.data.sgl[0].length = 8929; }, bad);
  ExpectStatusOf(
      SendOp::kSend, [](auto& w) { w.meta.length = 3; }, bad);
}

TEST_F(StatusTest, NoLengthIsLegalAndNeedsNoKeys) {
  for (const SendOp op : {SendOp::kRdmaRead, SendOp::kRdmaWrite}) {
    ExpectStatusOf(
        op,
        [](auto& w) {
          w.data.rdma_req.local_mem[0].length = w.data.rdma_req.remote_mem.length = 0;
          w.data.rdma_req.local_mem[0].lkey = w.data.rdma_req.remote_mem.rkey = 0;
        },
        CompletionStatus::kOk);
    ExpectStatusOf(
        op,
        [](auto& w) {
          w.meta.length = 0;  // no local memory at all
          w.data.rdma_req.remote_mem.length = 0;
        },
        CompletionStatus::kOk);
  }
}

TEST_F(StatusTest, DestinationQp) {
  const auto bad = CompletionStatus::kBadDestQpn;
  ExpectStatusOf(
      SendOp::kRdmaRead, [](auto& w) { w.meta.dest_qp_num ^= 1; }, bad);
  ExpectStatusOf(
      SendOp::kRdmaWrite, [](auto& w) { w.meta.dest_qp_num = 0xffff; }, bad);
  ExpectStatusOf(
      SendOp::kSend, [](auto& w) { w.meta.dest_qp_num ^= 1; }, bad);
  ExpectStatusOf(
      SendOp::kRdmaRead, [](auto& w) { w.meta.qkey ^= 1; }, bad);
}

TEST_F(StatusTest, DestinationQpState) {
  TestQp::Options options;
  options.ready = false;
  TestQp qp(rig_, kNicB, target_.pd, target_.uar, target_.send_cq, target_.recv_cq, options);
  const auto to = [&](efa_io_tx_wqe& w) { w.meta.dest_qp_num = qp.number(); };
  const auto bad = CompletionStatus::kBadDestQpn;
  ExpectStatusOf(SendOp::kRdmaRead, to, bad);  // RESET
  qp.Modify(QpState::kInit);
  ExpectStatusOf(SendOp::kRdmaRead, to, bad);
  qp.Modify(QpState::kRtr);
  ExpectStatusOf(SendOp::kRdmaRead, to, CompletionStatus::kOk);
  qp.Modify(QpState::kRts);
  ExpectStatusOf(SendOp::kRdmaWrite, to, CompletionStatus::kOk);
  qp.Modify(QpState::kErr);
  ExpectStatusOf(SendOp::kRdmaRead, to, bad);
  const uint16_t number = qp.number();
  target_.device.DestroyQp(qp.handle());
  ExpectStatusOf(
      SendOp::kRdmaRead, [&](auto& w) { w.meta.dest_qp_num = number; }, bad);
}

TEST_F(StatusTest, DestinationQpType) {
  TestQp::Options options;
  options.type = QpType::kUd;
  TestQp qp(rig_, kNicB, target_.pd, target_.uar, target_.send_cq, target_.recv_cq, options);
  ExpectStatusOf(
      SendOp::kRdmaRead, [&](auto& w) { w.meta.dest_qp_num = qp.number(); },
      CompletionStatus::kBadDestQpn);
}

TEST_F(StatusTest, UnknownGid) {
  const Gid nobody = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x77};
  const uint16_t ah = initiator_.device.CreateAh(initiator_.pd, nobody).value();
  ExpectStatusOf(
      SendOp::kRdmaRead, [&](auto& w) { w.meta.ah = ah; }, CompletionStatus::kUnreachRemote);
  ExpectStatusOf(
      SendOp::kSend, [&](auto& w) { w.meta.ah = ah; }, CompletionStatus::kUnreachRemote);
  EXPECT_EQ(initiator_.device.GetStats().unresponsive_remote_events, 2u);
}

TEST_F(StatusTest, RdmaNeedsAnAhAtTheTarget) {
  const uint16_t own =
      target_.device.CreateAh(target_.pd, initiator_.device.GetAttributes().gid).value();
  target_.device.DestroyAh(target_.pd, own);
  target_.device.DestroyAh(target_.pd, own);  // Meet's
  // An AH of another PD does not help.
  const uint16_t other_pd = target_.device.AllocPd().value();
  target_.device.CreateAh(other_pd, initiator_.device.GetAttributes().gid).value();
  for (const SendOp op : {SendOp::kRdmaRead, SendOp::kRdmaWrite}) {
    initiator_.qp.PostAndRing(MakeRdma(op, initiator_, ah_, target_, 100));
    rig_.RunUntilIdle();
    EXPECT_EQ(initiator_.ExpectSendCompletion().status(), CompletionStatus::kUnknownPeer);
  }
}

TEST_F(StatusTest, BadAh) {
  const auto bad = CompletionStatus::kInvalidAh;
  ExpectStatusOf(
      SendOp::kRdmaRead, [](auto& w) { w.meta.ah = 0xffff; }, bad);
  ExpectStatusOf(
      SendOp::kRdmaRead, [](auto& w) { w.meta.ah = 6; }, bad);
  ExpectStatusOf(
      SendOp::kSend, [](auto& w) { w.meta.ah = 6; }, bad);
  const uint16_t other_pd = initiator_.device.AllocPd().value();
  const uint16_t other =
      initiator_.device.CreateAh(other_pd, target_.device.GetAttributes().gid).value();
  ExpectStatusOf(
      SendOp::kRdmaWrite, [&](auto& w) { w.meta.ah = other; }, bad);
}

TEST_F(StatusTest, Operations) {
  ExpectStatusOf(
      SendOp::kRdmaRead, [](auto& w) { w.meta.ctrl1 |= 0xf; }, CompletionStatus::kUnsupportedOp);
  ExpectStatusOf(
      SendOp::kRdmaRead, [](auto& w) { SetImmediate(w, 1); }, CompletionStatus::kUnsupportedOp);
  ExpectStatusOf(
      SendOp::kRdmaRead, [](auto& w) { w.meta.ctrl2 = 0; }, CompletionStatus::kQpInternalError);
}

TEST_F(StatusTest, UdHasNoRdma) {
  TestQp::Options options;
  options.type = QpType::kUd;
  TestQp qp(rig_, kNicA, initiator_.pd, initiator_.uar, initiator_.send_cq, initiator_.recv_cq,
            options);
  qp.PostAndRing(Read());
  rig_.RunUntilIdle();
  EXPECT_EQ(initiator_.send_cq.Poll().value().status(), CompletionStatus::kUnsupportedOp);
}

TEST(CapabilityTest, ADeviceWithoutRdma) {
  for (const SendOp missing : {SendOp::kRdmaRead, SendOp::kRdmaWrite}) {
    EmulatedMachine machine = MakeTestMachine();
    EmulatedNicModel& model = machine.nics[0].model;
    (missing == SendOp::kRdmaRead ? model.rdma_read : model.rdma_write) = false;
    TestFabric rig(machine);
    TestEnd::Options options;
    options.permissions = kLocalWrite;
    TestEnd initiator(rig, kNicA, options);
    TestEnd target(rig, kNicB);
    const uint16_t ah = initiator.Meet(target);
    for (const SendOp op : {SendOp::kRdmaRead, SendOp::kRdmaWrite}) {
      initiator.qp.PostAndRing(MakeRdma(op, initiator, ah, target, 100));
      rig.RunUntilIdle();
      EXPECT_EQ(initiator.ExpectSendCompletion().status(),
                op == missing ? CompletionStatus::kUnsupportedOp : CompletionStatus::kOk);
    }
  }
}

TEST_F(StatusTest, ErrorsMoveNoData) {
  target_.memory.Fill(1);
  efa_io_tx_wqe read = Read();
  read.data.rdma_req.remote_mem.rkey ^= 1;
  ExpectStatus(read, CompletionStatus::kBadAddress);
  initiator_.memory.Fill(2);
  efa_io_tx_wqe write = Write();
  write.meta.qkey ^= 1;
  initiator_.qp.PostAndRing(write);
  rig_.RunUntilIdle();
  EXPECT_EQ(initiator_.ExpectSendCompletion().status(), CompletionStatus::kBadDestQpn);
  EXPECT_TRUE(target_.memory.IsFilled(1, 0, target_.memory.size()));
}

TEST_F(StatusTest, RemoteErrorsTakeARoundTripAndLocalOnesDoNot) {
  efa_io_tx_wqe wqe = Read();
  wqe.meta.ah = 99;
  initiator_.qp.PostAndRing(wqe);
  EXPECT_FALSE(rig_.Poll().has_value());
  EXPECT_EQ(initiator_.ExpectSendCompletion().status(), CompletionStatus::kInvalidAh);
  wqe = Read();
  wqe.data.rdma_req.remote_mem.rkey ^= 1;
  initiator_.qp.PostAndRing(wqe);
  EXPECT_EQ(rig_.Poll().value(), rig_.now() + kBaseLatency);
  EXPECT_FALSE(initiator_.send_cq.Poll().has_value());
}

TEST_F(StatusTest, UnsignalledRequestsCompleteOnlyWithErrors) {
  efa_io_tx_wqe wqe = Read();
  wqe.meta.ctrl2 = static_cast<uint8_t>(wqe.meta.ctrl2 & ~kTxCompletionRequested);
  initiator_.qp.PostAndRing(wqe);
  rig_.RunUntilIdle();
  EXPECT_FALSE(initiator_.send_cq.Poll().has_value());
  wqe.data.rdma_req.remote_mem.rkey ^= 1;
  initiator_.qp.PostAndRing(wqe);
  rig_.RunUntilIdle();
  EXPECT_EQ(initiator_.ExpectSendCompletion().status(), CompletionStatus::kBadAddress);
}

}  // namespace
}  // namespace railgauge::efa
