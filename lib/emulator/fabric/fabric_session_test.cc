// The fabric process without a process: requests as bytes, and what is left when a session ends.
#include "lib/emulator/fabric/fabric_session.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "lib/emulator/device/efa_io.h"
#include "lib/scenario/nodes.h"

namespace railgauge {
namespace {

using efa::AdminStatus;

constexpr uint64_t kPage = 4096;

EmulatedMachine MakeMachine() {
  EmulatedMachine machine;
  machine.base_latency = Nanoseconds(1000);
  EmulatedNumaNode& node = machine.numa_nodes.emplace_back();
  node.memory = Bytes{1u << 30};
  EmulatedNic nic;
  nic.address = PciAddress{0, 0x10, 0, 0};
  nic.name = "nic0";
  nic.gid = "fe80:0000:0000:0000:0200:0000:0010:0000";
  nic.node_guid = "0200:0000:0010:0000";
  nic.model.firmware = "emulated-1.0";
  nic.model.rdma_read = nic.model.rdma_write = true;
  nic.model.max_sq_wr = nic.model.max_rq_wr = 128;
  nic.model.max_sq_sge = nic.model.max_rq_sge = 2;
  nic.model.max_qp = nic.model.max_cq = nic.model.max_mr = nic.model.max_pd = nic.model.max_ah = 16;
  nic.model.max_cqe = 1024;
  nic.model.max_mr_pages = 1u << 20;
  nic.model.max_llq_size = 64 * 128;
  nic.model.sub_cqs_per_cq = 1;
  nic.line_rate = BytesPerSecond{1e9};
  machine.nics.push_back(nic);
  machine.resources.push_back({"line", BytesPerSecond{1e9}});
  machine.paths[{nic.address, MemoryPlace::NumaNode(0)}] = {EmulatedPath{{0}, BytesPerSecond{1e9}},
                                                            EmulatedPath{{0}, BytesPerSecond{1e9}}};
  return machine;
}

class FabricSessionTest : public testing::Test {
 protected:
  FabricSessionTest() : first_(NewSession(0)), second_(NewSession(1)) {}

  std::unique_ptr<FabricSession> NewSession(uint32_t node) {
    return FabricSession::Create(host_.get(), node, /*owner=*/node + 1);
  }

  template <typename Request>
  FabricReply Send(FabricSession& session, FabricOp op, const Request& wire,
                   const std::vector<WireSegment>& segments = {}, UniqueFd fd = UniqueFd()) {
    std::vector<std::byte> body;
    const auto append = [&body](const void* data, size_t bytes) {
      const auto* begin = static_cast<const std::byte*>(data);
      body.insert(body.end(), begin, begin + bytes);
    };
    append(&wire, sizeof wire);
    for (const WireSegment& segment : segments) append(&segment, sizeof segment);
    FabricRequest request;
    request.header.op = op;
    request.header.segments = static_cast<uint32_t>(segments.size());
    request.body = body;
    request.fd = std::move(fd);
    FabricReply reply;
    session.Handle(request, reply);
    return reply;
  }
  template <typename Reply>
  static Reply Read(const FabricReply& reply) {
    EXPECT_EQ(reply.header.status, AdminStatus::kSuccess);
    EXPECT_EQ(reply.header.error_number, 0);
    Reply value{};
    EXPECT_EQ(reply.body_bytes, sizeof value);
    std::memcpy(&value, reply.body.data(), sizeof value);
    return value;
  }
  uint32_t Allocate(FabricSession& session, FabricOp op) {
    return Read<Number>(Send(session, op, Empty{})).value;
  }
  AdminStatus StatusOf(FabricSession& session, FabricOp op, uint32_t number) {
    return Send(session, op, Number{number}).header.status;
  }
  efa::CreateCqResult CreateCq(FabricSession& session, uint32_t uar) {
    const auto ring = Read<RingReply>(
        Send(session, FabricOp::kAllocateRing, RingRequest{.offset = 0, .bytes = 64 * 32}));
    efa::CreateCqParams params;
    params.uar = static_cast<uint16_t>(uar);
    params.depth = 64;
    params.num_sub_cqs = 1;
    params.entry_size_bytes = 32;
    params.dma_address = cq_ring_ = ring.offset;
    return Read<efa::CreateCqResult>(Send(session, FabricOp::kCreateCq, params));
  }
  efa::CreateQpResult CreateQp(FabricSession& session, uint32_t pd, uint32_t uar, uint16_t cq) {
    efa::CreateQpParams params;
    params.pd = static_cast<uint16_t>(pd);
    params.uar = static_cast<uint16_t>(uar);
    params.send_cq = params.recv_cq = cq;
    params.sq_depth = 16;
    params.sq_ring_bytes = 16 * 64;
    return Read<efa::CreateQpResult>(Send(session, FabricOp::kCreateQp, params));
  }

  const std::vector<EmulatedMachine> machines_ = {MachineOfNode(MakeMachine(), 0),
                                                  MachineOfNode(MakeMachine(), 1)};
  std::unique_ptr<HostedFabric> host_ =
      HostedFabric::Create(machines_, {.now = [] { return Nanoseconds(1); },
                                       .wake = {},
                                       .completion_event = {},
                                       .device_removed = {},
                                       .copy = {},
                                       .between_copies = {}})
          .value();
  const uint64_t initial_bytes_ = host_->arena().UsedBytes();
  std::unique_ptr<FabricSession> first_, second_;
  uint64_t cq_ring_ = 0;  // of the last CQ
};

TEST_F(FabricSessionTest, NodesHaveTheirOwnDevices) {
  const auto one = FromWire(Read<WireAttributes>(Send(*first_, FabricOp::kGetAttributes, Empty{})));
  const auto other =
      FromWire(Read<WireAttributes>(Send(*second_, FabricOp::kGetAttributes, Empty{})));
  EXPECT_EQ(one.firmware, "emulated-1.0");
  EXPECT_EQ(one.max_sq_depth, 128u);
  EXPECT_NE(one.gid, other.gid);
  EXPECT_FALSE(host_->layout(0).IsDoorbell(host_->layout(1).DoorbellKey(0)));
}

TEST_F(FabricSessionTest, TheEndOfASessionLeavesNothing) {
  const uint32_t pd = Allocate(*first_, FabricOp::kAllocPd);
  const uint32_t uar = Allocate(*first_, FabricOp::kAllocUar);
  const efa::CreateCqResult cq = CreateCq(*first_, uar);
  CreateQp(*first_, pd, uar, cq.cq);
  WireAh ah;
  ah.pd = pd;
  Send(*first_, FabricOp::kCreateAh, ah);
  Send(*first_, FabricOp::kCreateAh, ah);
  WireRegMr mr;
  mr.pd = pd;
  mr.iova = 0x10000;
  mr.length = kPage;
  mr.permissions = efa::kLocalWrite;
  const std::vector<WireSegment> host = {
      {.address = 0x10000, .length = kPage, .place = MemoryPlace::NumaNode(0)}};
  Read<efa::RegMrResult>(Send(*first_, FabricOp::kRegMr, mr, host));
  UniqueFd file(memfd_create("test", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(file.get(), 2 * kPage), 0);
  const std::vector<WireSegment> in_file = {
      {.address = kPage, .length = kPage, .place = MemoryPlace::NumaNode(0), .in_file = 1}};
  Read<efa::RegMrResult>(Send(*first_, FabricOp::kRegMr, mr, in_file, std::move(file)));
  const efa::ObjectCounts during = host_->device(0, 0).CountObjects();
  EXPECT_EQ(during.mrs, 2u);
  EXPECT_EQ(during.qps, 1u);

  first_.reset();
  second_.reset();
  const efa::ObjectCounts after = host_->device(0, 0).CountObjects();
  EXPECT_EQ(after.pds + after.uars + after.mrs + after.ahs + after.cqs + after.qps, 0u);
  EXPECT_EQ(after.llq_bytes, 0u);
  EXPECT_EQ(host_->arena().UsedBytes(), initial_bytes_);
}

TEST_F(FabricSessionTest, WhatIsOthersIsNotTouched) {
  const auto neighbour = NewSession(0);
  const uint32_t pd = Allocate(*neighbour, FabricOp::kAllocPd);
  const uint32_t uar = Allocate(*neighbour, FabricOp::kAllocUar);
  const efa::CreateCqResult cq = CreateCq(*neighbour, uar);
  const efa::CreateQpResult qp = CreateQp(*neighbour, pd, uar, cq.cq);
  constexpr AdminStatus kRefused = AdminStatus::kIllegalParameter;
  EXPECT_EQ(StatusOf(*first_, FabricOp::kDeallocPd, pd), kRefused);
  EXPECT_EQ(StatusOf(*first_, FabricOp::kDeallocUar, uar), kRefused);
  EXPECT_EQ(StatusOf(*first_, FabricOp::kDestroyCq, cq.cq), kRefused);
  EXPECT_EQ(StatusOf(*first_, FabricOp::kDestroyQp, qp.qp_handle), kRefused);
  EXPECT_EQ(StatusOf(*first_, FabricOp::kQueryQp, qp.qp_handle), kRefused);
  efa::CreateCqParams params;
  params.uar = static_cast<uint16_t>(Allocate(*first_, FabricOp::kAllocUar));
  params.depth = 64;
  params.num_sub_cqs = 1;
  params.entry_size_bytes = 32;
  params.dma_address = neighbour->doorbell_ring();
  EXPECT_EQ(Send(*first_, FabricOp::kCreateCq, params).header.status, kRefused);
}

TEST_F(FabricSessionTest, ObjectsInUseStay) {
  const uint32_t pd = Allocate(*first_, FabricOp::kAllocPd);
  const uint32_t uar = Allocate(*first_, FabricOp::kAllocUar);
  const efa::CreateCqResult cq = CreateCq(*first_, uar);
  const efa::CreateQpResult qp = CreateQp(*first_, pd, uar, cq.cq);
  EXPECT_EQ(StatusOf(*first_, FabricOp::kDeallocPd, pd), AdminStatus::kResourceBusy);
  EXPECT_EQ(StatusOf(*first_, FabricOp::kDestroyCq, cq.cq), AdminStatus::kResourceBusy);
  EXPECT_EQ(StatusOf(*first_, FabricOp::kDestroyQp, qp.qp_handle), AdminStatus::kSuccess);
  EXPECT_EQ(StatusOf(*first_, FabricOp::kDestroyCq, cq.cq), AdminStatus::kSuccess);
  EXPECT_EQ(StatusOf(*first_, FabricOp::kDeallocPd, pd), AdminStatus::kSuccess);
}

TEST_F(FabricSessionTest, MemoryThatCannotBe) {
  WireRegMr mr;
  mr.pd = Allocate(*first_, FabricOp::kAllocPd);
  mr.length = kPage;
  const WireSegment null = {.address = 0, .length = kPage, .place = MemoryPlace::NumaNode(0)};
  const WireSegment empty = {.address = kPage, .length = 0, .place = MemoryPlace::NumaNode(0)};
  const WireSegment no_file = {
      .address = 0, .length = kPage, .place = MemoryPlace::NumaNode(0), .in_file = 1};
  for (const WireSegment& segment : {null, empty, no_file}) {
    EXPECT_EQ(Send(*first_, FabricOp::kRegMr, mr, {segment}).header.status,
              AdminStatus::kIllegalParameter);
  }
  UniqueFd file(memfd_create("test", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(file.get(), kPage), 0);
  WireSegment beyond = no_file;
  beyond.length = 2 * kPage;
  EXPECT_EQ(Send(*first_, FabricOp::kRegMr, mr, {beyond}, std::move(file)).header.status,
            AdminStatus::kIllegalParameter);
  EXPECT_EQ(host_->device(0, 0).CountObjects().mrs, 0u);
}

TEST_F(FabricSessionTest, ALongListComesInParts) {
  WireRegMr mr;
  mr.pd = Allocate(*first_, FabricOp::kAllocPd);
  mr.iova = 0x10000;
  mr.length = 3 * kPage;
  const WireSegment page = {.address = 0x10000, .length = kPage, .place = MemoryPlace::NumaNode(0)};
  Read<Empty>(Send(*first_, FabricOp::kAddSegments, Empty{}, {page, page}));
  Read<efa::RegMrResult>(Send(*first_, FabricOp::kRegMr, mr, {page}));
  // They are not there for the next one.
  EXPECT_EQ(Send(*first_, FabricOp::kRegMr, mr, {page}).header.status,
            AdminStatus::kIllegalParameter);
}

TEST_F(FabricSessionTest, RequestsThatAreNone) {
  EXPECT_EQ(Send(*first_, static_cast<FabricOp>(4711), Empty{}).header.status,
            AdminStatus::kBadOpcode);
  FabricRequest request;
  request.header.op = FabricOp::kCreateQp;
  FabricReply reply;
  first_->Handle(request, reply);
  EXPECT_EQ(reply.header.status, AdminStatus::kMalformedRequest);
  request.header.device = 99;
  FabricReply other;
  first_->Handle(request, other);
  EXPECT_EQ(other.header.status, AdminStatus::kMalformedRequest);
  request.header.device = 0;
  request.header.op = FabricOp::kAddSegments;
  request.header.segments = 1000;
  FabricReply third;
  first_->Handle(request, third);
  EXPECT_EQ(third.header.status, AdminStatus::kMalformedRequest);
}

TEST_F(FabricSessionTest, DoorbellsAreExecutedBeforeTheNextRequest) {
  const uint32_t pd = Allocate(*first_, FabricOp::kAllocPd);
  const uint32_t uar = Allocate(*first_, FabricOp::kAllocUar);
  const efa::CreateCqResult cq = CreateCq(*first_, uar);
  const efa::CreateQpResult qp = CreateQp(*first_, pd, uar, cq.cq);
  for (const efa::QpState state :
       {efa::QpState::kInit, efa::QpState::kRtr, efa::QpState::kRts, efa::QpState::kSqd}) {
    efa::ModifyQpParams modify;
    modify.qp_handle = qp.qp_handle;
    modify.set_state = true;
    modify.state = state;
    Read<Empty>(Send(*first_, FabricOp::kModifyQp, modify));
  }
  auto* ring = reinterpret_cast<DoorbellRing*>(
      host_->arena().At(first_->doorbell_ring(), sizeof(DoorbellRing)).data());
  // One descriptor of zeros, and a doorbell of somebody else's page, which is ignored.
  ring->TryWrite({.offset = host_->layout(1).DoorbellKey(0), .value = 1});
  ring->TryWrite({.offset = host_->layout(0).DoorbellKey(0) + qp.sq_db_offset, .value = 1});
  efa::ModifyQpParams modify;
  modify.qp_handle = qp.qp_handle;
  modify.set_state = true;
  modify.state = efa::QpState::kErr;  // flushes what was posted
  Read<Empty>(Send(*first_, FabricOp::kModifyQp, modify));
  const auto* completion = reinterpret_cast<const efa_io_cdesc_common*>(
      host_->arena().At(cq_ring_, sizeof(efa_io_cdesc_common)).data());
  EXPECT_EQ(completion->status, EFA_IO_COMP_STATUS_FLUSHED);
  EXPECT_EQ(completion->qp_num, qp.qp_num);
}

}  // namespace
}  // namespace railgauge
