// Every admin command with every status that it can answer.
#include <gtest/gtest.h>

#include <set>

#include "lib/emulator/device/test_rig.h"

namespace railgauge::efa {
namespace {

template <typename T>
AdminStatus StatusOf(const AdminResult<T>& result) {
  return result ? AdminStatus::kSuccess : result.error();
}

class AdminTest : public testing::Test {
 protected:
  // The old fabric stays: memory of the test may still be in its DmaSpace.
  void Rebuild(const EmulatedMachine& machine) {
    retired_.push_back(std::exchange(rig_, std::make_unique<TestFabric>(machine)));
  }
  Device& device() { return rig_->device(kNicA); }

  EmulatedMachine machine_ = MakeTestMachine();
  std::vector<std::unique_ptr<TestFabric>> retired_;
  std::unique_ptr<TestFabric> rig_ = std::make_unique<TestFabric>(machine_);
};

TEST_F(AdminTest, Attributes) {
  const DeviceAttributes attributes = device().GetAttributes();
  const EmulatedNicModel& model = machine_.nics[0].model;
  EXPECT_EQ(attributes.firmware, "emulated-1.0");
  EXPECT_EQ(attributes.gid[0], 0xfe);
  EXPECT_EQ(attributes.gid[15], 1);
  EXPECT_EQ(attributes.mtu, model.mtu);
  EXPECT_EQ(attributes.max_rdma_size, model.max_rdma_size);
  EXPECT_TRUE(attributes.rdma_read && attributes.rdma_write && attributes.rnr_retry);
  EXPECT_TRUE(attributes.cq_notifications && attributes.cq_with_sgid);
  EXPECT_EQ(attributes.max_qp, model.max_qp);
  EXPECT_EQ(attributes.max_sq_depth, model.max_sq_wr);
  EXPECT_EQ(attributes.max_rq_depth, model.max_rq_wr);
  EXPECT_EQ(attributes.max_cq_depth, model.max_cqe);
  EXPECT_EQ(attributes.max_recv_sge, model.max_rq_sge);
  EXPECT_EQ(attributes.max_rdma_sge, 1);
  EXPECT_EQ(attributes.sub_cqs_per_cq, 2);
  EXPECT_EQ(attributes.inline_buf_size, 32);
}

TEST_F(AdminTest, NoSuchNic) { EXPECT_EQ(rig_->fabric().AddDevice(kGpu, {}), nullptr); }

TEST_F(AdminTest, Pd) {
  std::set<uint16_t> pds;
  for (uint32_t i = 0; i < machine_.nics[0].model.max_pd; ++i) {
    EXPECT_TRUE(pds.insert(device().AllocPd().value()).second);
  }
  EXPECT_EQ(StatusOf(device().AllocPd()), AdminStatus::kResourceAllocationFailure);
  EXPECT_EQ(device().DeallocPd(*pds.begin()), AdminStatus::kSuccess);
  EXPECT_EQ(device().DeallocPd(*pds.begin()), AdminStatus::kIllegalParameter);
  EXPECT_EQ(device().DeallocPd(999), AdminStatus::kIllegalParameter);
  EXPECT_TRUE(device().AllocPd().has_value());
}

TEST_F(AdminTest, PdIsBusyWithEachKindOfUser) {
  const uint16_t pd = device().AllocPd().value();
  TestMemory memory(&rig_->dma_space(), 4096);
  const uint32_t lkey = device().RegMr(MakeRegMr(pd, memory, kLocalWrite)).value().lkey;
  EXPECT_EQ(device().DeallocPd(pd), AdminStatus::kResourceBusy);
  device().DeregMr(lkey);
  const uint16_t ah = device().CreateAh(pd, Gid{1}).value();
  EXPECT_EQ(device().DeallocPd(pd), AdminStatus::kResourceBusy);
  device().DestroyAh(pd, ah);
  const uint16_t uar = device().AllocUar().value();
  TestCq cq(*rig_, kNicA, uar);
  const TestQp qp(*rig_, kNicA, pd, uar, cq, cq, {});
  EXPECT_EQ(device().DeallocPd(pd), AdminStatus::kResourceBusy);
  device().DestroyQp(qp.handle());
  EXPECT_EQ(device().DeallocPd(pd), AdminStatus::kSuccess);
}

TEST_F(AdminTest, Uar) {
  for (int i = 0; i < 4; ++i) EXPECT_EQ(device().AllocUar().value(), i);  // pages of the BAR
  EXPECT_EQ(StatusOf(device().AllocUar()), AdminStatus::kResourceAllocationFailure);
  const TestCq cq(*rig_, kNicA, 1);
  EXPECT_EQ(device().DeallocUar(1), AdminStatus::kResourceBusy);
  device().DestroyCq(cq.number());
  EXPECT_EQ(device().DeallocUar(1), AdminStatus::kSuccess);
  EXPECT_EQ(device().DeallocUar(1), AdminStatus::kIllegalParameter);
  EXPECT_EQ(device().DeallocUar(99), AdminStatus::kIllegalParameter);
  EXPECT_EQ(device().AllocUar().value(), 1);
}

TEST_F(AdminTest, MrIdsAndValidityPerNicPlaceAndWay) {
  struct Case {
    PciAddress nic;
    MemoryPlace place;
    RegistrationWay way;
    uint8_t validity, recv, read, write;
  };
  const Case cases[] = {
      {kNicA, kNode0, RegistrationWay::kHost, 7, 16, 17, 18},
      {kNicA, kNode1, RegistrationWay::kHost, 2, 0, 19, 0},
      {kNicA, kGpuPlace, RegistrationWay::kDmabuf, 7, 0, 20, 255},
      {kNicA, kGpuPlace, RegistrationWay::kPeerMemory, 0, 0, 0, 0},
      {kNicB, kNode0, RegistrationWay::kHost, 7, 32, 33, 34},
      {kNicC, kNode1, RegistrationWay::kHost, 2, 0, 51, 0},
  };
  for (const Case& c : cases) {
    Device& nic = rig_->device(c.nic);
    const uint16_t pd = nic.AllocPd().value();
    TestMemory memory(&rig_->dma_space(), 4096, c.place, c.way);
    const RegMrResult mr = nic.RegMr(MakeRegMr(pd, memory, kLocalWrite)).value();
    EXPECT_EQ(mr.validity, c.validity);
    EXPECT_EQ(mr.recv_ic_id, c.recv);
    EXPECT_EQ(mr.rdma_read_ic_id, c.read);
    EXPECT_EQ(mr.rdma_recv_ic_id, c.write);
  }
}

TEST_F(AdminTest, MrOfTwoPlacesAnswersForItsFirstPage) {
  const uint16_t pd = device().AllocPd().value();
  TestMemory far(&rig_->dma_space(), 4096, kNode1);
  TestMemory near(&rig_->dma_space(), 4096, kNode0);
  RegMrParams params = MakeRegMr(pd, far, kLocalWrite);
  params.pages.push_back({near.dma_address(), near.size()});
  params.length = 8192;
  EXPECT_EQ(device().RegMr(params).value().rdma_read_ic_id, 19);
}

TEST_F(AdminTest, MrRefusals) {
  const uint16_t pd = device().AllocPd().value();
  TestMemory memory(&rig_->dma_space(), 4096);
  const auto status = [&](auto change) {
    RegMrParams params = MakeRegMr(pd, memory, kLocalWrite | kRemoteRead | kRemoteWrite);
    change(params);
    return StatusOf(device().RegMr(params));
  };
  EXPECT_EQ(status([](RegMrParams&) {}), AdminStatus::kSuccess);
  EXPECT_EQ(status([](RegMrParams& p) { p.pd = 77; }), AdminStatus::kIllegalParameter);
  EXPECT_EQ(status([](RegMrParams& p) { p.permissions = 8; }), AdminStatus::kIllegalParameter);
  EXPECT_EQ(status([](RegMrParams& p) { p.permissions = kRemoteWrite; }),
            AdminStatus::kIllegalParameter);
  EXPECT_EQ(status([](RegMrParams& p) { p.length = 0; }), AdminStatus::kIllegalParameter);
  EXPECT_EQ(status([](RegMrParams& p) { p.length = 1ull << 40; }),
            AdminStatus::kResourceAllocationFailure);
  EXPECT_EQ(status([](RegMrParams& p) { p.pages[0].dma_address += 1u << 20; }),
            AdminStatus::kIllegalParameter);
}

TEST_F(AdminTest, MrLimitAndDereg) {
  const uint16_t pd = device().AllocPd().value();
  TestMemory memory(&rig_->dma_space(), 4096);
  std::set<uint32_t> lkeys;
  for (uint32_t i = 0; i < machine_.nics[0].model.max_mr; ++i) {
    EXPECT_TRUE(lkeys.insert(device().RegMr(MakeRegMr(pd, memory, 0)).value().lkey).second);
  }
  EXPECT_EQ(StatusOf(device().RegMr(MakeRegMr(pd, memory, 0))),
            AdminStatus::kResourceAllocationFailure);
  EXPECT_EQ(device().DeregMr(*lkeys.begin()), AdminStatus::kSuccess);
  EXPECT_EQ(device().DeregMr(*lkeys.begin()), AdminStatus::kIllegalParameter);
  EXPECT_EQ(device().DeregMr(0), AdminStatus::kIllegalParameter);
  EXPECT_EQ(device().DeregMr(~0u), AdminStatus::kIllegalParameter);
  EXPECT_TRUE(device().RegMr(MakeRegMr(pd, memory, 0)).has_value());
}

TEST_F(AdminTest, RemoteAccessNeedsTheCapability) {
  machine_.nics[0].model.rdma_write = false;
  Rebuild(machine_);
  const uint16_t pd = device().AllocPd().value();
  TestMemory memory(&rig_->dma_space(), 4096);
  EXPECT_EQ(StatusOf(device().RegMr(MakeRegMr(pd, memory, kLocalWrite | kRemoteWrite))),
            AdminStatus::kUnsupportedOpcode);
  EXPECT_EQ(StatusOf(device().RegMr(MakeRegMr(pd, memory, kRemoteRead))), AdminStatus::kSuccess);
  machine_.nics[0].model.rdma_read = false;
  Rebuild(machine_);
  const uint16_t other_pd = device().AllocPd().value();
  TestMemory other(&rig_->dma_space(), 4096);
  EXPECT_EQ(StatusOf(device().RegMr(MakeRegMr(other_pd, other, kRemoteRead))),
            AdminStatus::kUnsupportedOpcode);
}

TEST_F(AdminTest, Ah) {
  const uint16_t pd = device().AllocPd().value();
  const uint16_t ah = device().CreateAh(pd, Gid{1}).value();
  EXPECT_EQ(device().CreateAh(pd, Gid{1}).value(), ah);
  EXPECT_EQ(StatusOf(device().CreateAh(77, Gid{1})), AdminStatus::kIllegalParameter);
  for (uint8_t i = 2; i <= 8; ++i) EXPECT_TRUE(device().CreateAh(pd, Gid{i}).has_value());
  EXPECT_EQ(StatusOf(device().CreateAh(pd, Gid{9})), AdminStatus::kResourceAllocationFailure);
  EXPECT_EQ(device().DestroyAh(pd, ah), AdminStatus::kSuccess);
  EXPECT_EQ(device().DestroyAh(pd, ah), AdminStatus::kSuccess);
  EXPECT_EQ(device().DestroyAh(pd, ah), AdminStatus::kIllegalParameter);
  EXPECT_EQ(device().DestroyAh(77, 1), AdminStatus::kIllegalParameter);
}

TEST_F(AdminTest, Cq) {
  const uint16_t uar = device().AllocUar().value();
  TestMemory ring(&rig_->dma_space(), 1024 * 32 * 2);
  CreateCqParams good;
  good.uar = uar;
  good.depth = 64;
  good.num_sub_cqs = 2;
  good.entry_size_bytes = 32;
  good.dma_address = ring.dma_address();
  const auto status = [&](auto change) {
    CreateCqParams params = good;
    change(params);
    return StatusOf(device().CreateCq(params));
  };
  EXPECT_EQ(status([](CreateCqParams& p) { p.uar = 3; }), AdminStatus::kIllegalParameter);
  EXPECT_EQ(status([](CreateCqParams& p) { p.depth = 63; }), AdminStatus::kIllegalParameter);
  EXPECT_EQ(status([](CreateCqParams& p) { p.depth = 0; }), AdminStatus::kIllegalParameter);
  EXPECT_EQ(status([](CreateCqParams& p) { p.num_sub_cqs = 0; }), AdminStatus::kIllegalParameter);
  EXPECT_EQ(status([](CreateCqParams& p) { p.num_sub_cqs = 3; }), AdminStatus::kIllegalParameter);
  EXPECT_EQ(status([](CreateCqParams& p) { p.entry_size_bytes = 24; }),
            AdminStatus::kIllegalParameter);
  EXPECT_EQ(status([](CreateCqParams& p) { p.dma_address = 0; }), AdminStatus::kIllegalParameter);
  EXPECT_EQ(status([](CreateCqParams& p) { p.dma_address += 4; }), AdminStatus::kIllegalParameter);
  EXPECT_EQ(status([](CreateCqParams& p) { p.dma_address += 1024 * 64 - 64; }),
            AdminStatus::kIllegalParameter);
  EXPECT_EQ(status([](CreateCqParams& p) {
              p.entry_size_bytes = 16;
              p.set_src_addr = true;
            }),
            AdminStatus::kIllegalParameter);
  EXPECT_EQ(status([](CreateCqParams& p) { p.depth = 2048; }),
            AdminStatus::kResourceAllocationFailure);

  std::set<uint16_t> numbers;
  std::set<uint32_t> doorbells;
  for (uint32_t i = 0; i < machine_.nics[0].model.max_cq; ++i) {
    const CreateCqResult cq = device().CreateCq(good).value();
    EXPECT_TRUE(numbers.insert(cq.cq).second);
    EXPECT_TRUE(doorbells.insert(cq.db_offset).second);
    EXPECT_EQ(cq.db_offset / 4096, uar);
    EXPECT_EQ(cq.actual_depth, 64u);
  }
  EXPECT_EQ(StatusOf(device().CreateCq(good)), AdminStatus::kResourceAllocationFailure);
  EXPECT_EQ(device().DestroyCq(3), AdminStatus::kSuccess);
  EXPECT_EQ(device().DestroyCq(3), AdminStatus::kIllegalParameter);
  EXPECT_EQ(device().DestroyCq(999), AdminStatus::kIllegalParameter);
  EXPECT_EQ(device().CreateCq(good).value().cq, 3);
}

TEST_F(AdminTest, SourceAddressNeedsTheCapability) {
  machine_.nics[0].model.cq_with_sgid = false;
  Rebuild(machine_);
  CreateCqParams params;
  params.uar = device().AllocUar().value();
  params.depth = 4;
  params.num_sub_cqs = 1;
  params.entry_size_bytes = 32;
  params.set_src_addr = true;
  EXPECT_EQ(StatusOf(device().CreateCq(params)), AdminStatus::kUnsupportedOpcode);
}

class QpAdminTest : public AdminTest {
 protected:
  QpAdminTest() {
    good_.pd = device().AllocPd().value();
    good_.uar = device().AllocUar().value();
    cq_.emplace(*rig_, kNicA, good_.uar);
    good_.send_cq = good_.recv_cq = cq_->number();
    ring_.emplace(&rig_->dma_space(), 128 * 16);
    good_.sq_depth = good_.rq_depth = 16;
    good_.sq_ring_bytes = 16 * 64;
    good_.rq_ring_bytes = 16 * 16;
    good_.rq_dma_address = ring_->dma_address();
  }

  template <typename Change>
  AdminStatus Status(Change change) {
    CreateQpParams params = good_;
    change(params);
    return StatusOf(device().CreateQp(params));
  }

  CreateQpParams good_;
  std::optional<TestCq> cq_;
  std::optional<TestMemory> ring_;
};

TEST_F(QpAdminTest, Create) {
  const CreateQpResult first = device().CreateQp(good_).value();
  const CreateQpResult second = device().CreateQp(good_).value();
  EXPECT_NE(first.qp_handle, second.qp_handle);
  EXPECT_NE(first.qp_num, second.qp_num);
  const std::set<uint32_t> doorbells = {first.sq_db_offset, first.rq_db_offset, second.sq_db_offset,
                                        second.rq_db_offset};
  EXPECT_EQ(doorbells.size(), 4u);
  EXPECT_NE(first.llq_offset / 4096, second.llq_offset / 4096);
  // Four queues on the two sub-CQs of one CQ.
  EXPECT_NE(first.send_sub_cq, first.recv_sub_cq);
}

TEST_F(QpAdminTest, WithoutSendOrReceiveQueue) {
  EXPECT_EQ(Status([](CreateQpParams& p) { p.sq_depth = p.sq_ring_bytes = 0; }),
            AdminStatus::kSuccess);
  EXPECT_EQ(Status([](CreateQpParams& p) {
              p.rq_depth = p.rq_ring_bytes = 0;
              p.rq_dma_address = 0;
            }),
            AdminStatus::kSuccess);
}

TEST_F(QpAdminTest, Refusals) {
  const auto illegal = AdminStatus::kIllegalParameter;
  EXPECT_EQ(Status([](CreateQpParams& p) { p.pd = 77; }), illegal);
  EXPECT_EQ(Status([](CreateQpParams& p) { p.uar = 3; }), illegal);
  EXPECT_EQ(Status([](CreateQpParams& p) { p.send_cq = 99; }), illegal);
  EXPECT_EQ(Status([](CreateQpParams& p) { p.recv_cq = 99; }), illegal);
  EXPECT_EQ(Status([](CreateQpParams& p) { p.sq_ring_bytes = 17 * 64; }), illegal);
  EXPECT_EQ(Status([](CreateQpParams& p) { p.sq_ring_bytes = 100; }), illegal);
  EXPECT_EQ(Status([](CreateQpParams& p) { p.sq_ring_bytes = 0; }), illegal);
  EXPECT_EQ(Status([](CreateQpParams& p) { p.sq_ring_bytes = 8 * 64; }), illegal);
  EXPECT_EQ(Status([](CreateQpParams& p) { p.rq_ring_bytes = 17 * 16; }), illegal);
  EXPECT_EQ(Status([](CreateQpParams& p) { p.rq_dma_address = 0; }), illegal);
  EXPECT_EQ(Status([](CreateQpParams& p) { p.type = static_cast<QpType>(9); }),
            AdminStatus::kUnsupportedOpcode);
  const auto exhausted = AdminStatus::kResourceAllocationFailure;
  EXPECT_EQ(Status([](CreateQpParams& p) {
              p.sq_depth = 256;
              p.sq_ring_bytes = 256 * 64;
            }),
            exhausted);
  EXPECT_EQ(Status([](CreateQpParams& p) { p.sq_ring_bytes = 256 * 64; }), exhausted);  // LLQ size
  EXPECT_EQ(Status([](CreateQpParams& p) {
              p.rq_depth = 129;
              p.rq_ring_bytes = 256 * 16;
              p.rq_dma_address = 0;
            }),
            exhausted);
}

TEST_F(QpAdminTest, LimitsLeaveNothingBehind) {
  // 256 KiB of LLQ are 64 pages: that ends before the 100 QPs.
  std::vector<uint32_t> handles;
  for (int i = 0; i < 64; ++i) handles.push_back(device().CreateQp(good_).value().qp_handle);
  EXPECT_EQ(StatusOf(device().CreateQp(good_)), AdminStatus::kResourceAllocationFailure);
  // QPs without a send queue need none of it.
  CreateQpParams receive_only = good_;
  receive_only.sq_depth = receive_only.sq_ring_bytes = 0;
  for (int i = 64; i < 100; ++i) {
    handles.push_back(device().CreateQp(receive_only).value().qp_handle);
  }
  EXPECT_EQ(StatusOf(device().CreateQp(receive_only)), AdminStatus::kResourceAllocationFailure);
  EXPECT_EQ(device().DestroyCq(cq_->number()), AdminStatus::kResourceBusy);
  for (const uint32_t handle : handles) {
    EXPECT_EQ(device().DestroyQp(handle), AdminStatus::kSuccess);
  }
  for (int i = 0; i < 64; ++i) EXPECT_TRUE(device().CreateQp(good_).has_value());
}

TEST_F(QpAdminTest, DoorbellPageEnds) {
  machine_.nics[0].model.max_qp = 2000;
  Rebuild(machine_);
  CreateQpParams params;
  params.pd = device().AllocPd().value();
  params.uar = device().AllocUar().value();
  TestCq cq(*rig_, kNicA, params.uar);
  params.send_cq = params.recv_cq = cq.number();
  int created = 0;
  while (device().CreateQp(params).has_value()) ++created;
  EXPECT_EQ(created, 511);  // 1024 words, two for each QP, one for the CQ
  EXPECT_EQ(StatusOf(device().CreateQp(params)), AdminStatus::kResourceAllocationFailure);
  params.uar = device().AllocUar().value();
  EXPECT_TRUE(device().CreateQp(params).has_value());
}

TEST_F(QpAdminTest, ModifyAndQuery) {
  const uint32_t handle = device().CreateQp(good_).value().qp_handle;
  EXPECT_EQ(device().QueryQp(handle).value().state, QpState::kReset);
  ModifyQpParams params;
  params.qp_handle = handle;
  params.set_state = params.set_qkey = true;
  params.state = QpState::kInit;
  params.qkey = 0x1234;
  EXPECT_EQ(device().ModifyQp(params), AdminStatus::kSuccess);
  params = {};
  params.qp_handle = handle;
  params.set_state = true;
  params.state = QpState::kRts;
  EXPECT_EQ(device().ModifyQp(params), AdminStatus::kIllegalParameter);
  params.state = QpState::kRtr;
  EXPECT_EQ(device().ModifyQp(params), AdminStatus::kSuccess);
  params.state = QpState::kRts;
  params.set_sq_psn = params.set_rnr_retry = true;
  params.sq_psn = 99;
  params.rnr_retry = 3;
  EXPECT_EQ(device().ModifyQp(params), AdminStatus::kSuccess);
  const QueryQpResult result = device().QueryQp(handle).value();
  EXPECT_EQ(result.state, QpState::kRts);
  EXPECT_EQ(result.qkey, 0x1234u);
  EXPECT_EQ(result.sq_psn, 99u);
  EXPECT_EQ(result.rnr_retry, 3);
  EXPECT_FALSE(result.sq_draining);
  params.rnr_retry = 8;
  EXPECT_EQ(device().ModifyQp(params), AdminStatus::kIllegalParameter);
  params.qp_handle ^= 1;
  EXPECT_EQ(device().ModifyQp(params), AdminStatus::kIllegalParameter);
  EXPECT_EQ(StatusOf(device().QueryQp(handle ^ 1)), AdminStatus::kIllegalParameter);
}

TEST_F(QpAdminTest, DestroyedQpsAreGone) {
  const CreateQpResult qp = device().CreateQp(good_).value();
  EXPECT_EQ(device().DestroyQp(qp.qp_handle), AdminStatus::kSuccess);
  EXPECT_EQ(device().DestroyQp(qp.qp_handle), AdminStatus::kIllegalParameter);
  EXPECT_EQ(StatusOf(device().QueryQp(qp.qp_handle)), AdminStatus::kIllegalParameter);
  device().Doorbell(qp.sq_db_offset, 1);  // nobody's
  EXPECT_NE(device().CreateQp(good_).value().qp_num, qp.qp_num);
}

TEST_F(QpAdminTest, CapabilitiesOfTheModel) {
  machine_.nics[0].model.rnr_retry = false;
  machine_.nics[0].model.unsolicited_write_recv = false;
  Rebuild(machine_);
  CreateQpParams params;
  params.pd = device().AllocPd().value();
  params.uar = device().AllocUar().value();
  TestCq cq(*rig_, kNicA, params.uar);
  params.send_cq = params.recv_cq = cq.number();
  params.unsolicited_write_recv = true;
  EXPECT_EQ(StatusOf(device().CreateQp(params)), AdminStatus::kUnsupportedOpcode);
  params.unsolicited_write_recv = false;
  ModifyQpParams modify;
  modify.qp_handle = device().CreateQp(params).value().qp_handle;
  modify.set_rnr_retry = true;
  EXPECT_EQ(device().ModifyQp(modify), AdminStatus::kUnsupportedOpcode);
}

TEST_F(AdminTest, CommandsAreCounted) {
  const uint16_t pd = device().AllocPd().value();
  device().DeallocPd(pd);
  device().DeallocPd(pd);
  const DeviceStats stats = device().GetStats();
  EXPECT_EQ(stats.submitted_cmds, 3u);
  EXPECT_EQ(stats.completed_cmds, 3u);
  EXPECT_EQ(stats.cmds_err, 1u);
}

}  // namespace
}  // namespace railgauge::efa
