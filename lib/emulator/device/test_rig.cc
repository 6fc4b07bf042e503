#include "lib/emulator/device/test_rig.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

#include "lib/base/result.h"
#include "lib/emulator/device/shared_memory.h"

namespace railgauge::efa {
namespace {

constexpr size_t kPage = 4096;

EmulatedNicModel MakeModel() {
  EmulatedNicModel model;
  model.firmware = "emulated-1.0";
  model.rdma_read = model.rdma_write = true;
  model.unsolicited_write_recv = true;
  model.max_sq_wr = 128;
  model.max_rq_wr = 128;
  model.max_sq_sge = 2;
  model.max_rq_sge = 3;
  model.inline_buf_size = 32;
  model.max_rdma_size = 1u << 30;
  model.mtu = 8928;
  model.max_qp = 100;
  model.max_cq = 16;
  model.max_cqe = 1024;
  model.max_mr = 64;
  model.max_pd = 8;
  model.max_ah = 8;
  model.max_mr_pages = 1u << 20;
  model.max_llq_size = 64 * 128;
  model.max_tx_batch = 0;
  model.min_sq_wr = 0;
  model.sub_cqs_per_cq = 2;
  return model;
}

uint8_t Pattern(uint32_t seed, uint64_t position) {
  const uint64_t mixed = (position + seed * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
  return static_cast<uint8_t>(mixed >> 56);
}

}  // namespace

EmulatedMachine MakeTestMachine() {
  EmulatedMachine machine;
  machine.instance_type = "test";
  machine.base_latency = kBaseLatency;
  for (const uint32_t index : {0u, 1u}) {
    EmulatedNumaNode& node = machine.numa_nodes.emplace_back();
    node.index = index;
    node.memory = Bytes{1u << 30};
  }
  machine.gpus.emplace_back().address = kGpu;
  const auto add_resource = [&machine](const std::string& name, double rate) {
    machine.resources.push_back({name, BytesPerSecond{rate}});
    return static_cast<uint32_t>(machine.resources.size() - 1);
  };
  const uint32_t link_to = add_resource("socket:to", kSocketLinkRate);
  const uint32_t link_from = add_resource("socket:from", kSocketLinkRate);
  const uint32_t gpu_to = add_resource("gpu:to", kGpuRate);
  const uint32_t gpu_from = add_resource("gpu:from", kGpuRate);
  uint16_t serial = 0;
  for (const PciAddress& address : {kNicA, kNicB, kNicC}) {
    EmulatedNic nic;
    nic.address = address;
    nic.name = "nic" + std::to_string(serial);
    nic.gid = "fe80:0000:0000:0000:0000:0000:0000:000" + std::to_string(++serial);
    nic.model = MakeModel();
    nic.line_rate = BytesPerSecond{kLineRate};
    machine.nics.push_back(nic);
    const uint32_t rx = add_resource("nic:" + address.ToString() + ":rx", kLineRate);
    const uint32_t tx = add_resource("nic:" + address.ToString() + ":tx", kLineRate);
    const auto add_path = [&](const MemoryPlace& place, std::vector<uint32_t> to,
                              std::vector<uint32_t> from, double rate) {
      machine.paths[{address, place}] = {EmulatedPath{std::move(to), BytesPerSecond{rate}},
                                         EmulatedPath{std::move(from), BytesPerSecond{rate}}};
    };
    add_path(kNode0, {rx}, {tx}, kLineRate);
    add_path(kNode1, {rx, link_to}, {tx, link_from}, kSocketLinkRate);
    add_path(kGpuPlace, {rx, gpu_to}, {tx, gpu_from}, kGpuRate);
    const auto id = [serial](int which) { return static_cast<uint16_t>(serial * 16 + which); };
    machine.host_and_dmabuf_ids[{address, kNode0}] = {id(0), id(1), id(2)};
    machine.host_and_dmabuf_ids[{address, kNode1}] = {std::nullopt, id(3), std::nullopt};
    machine.host_and_dmabuf_ids[{address, kGpuPlace}] = {0, id(4), 255};
    machine.peer_memory_ids[{address, kGpuPlace}] = {};
  }
  return machine;
}

TestMemory::TestMemory(DmaSpace* dma_space, uint64_t bytes, const MemoryPlace& place,
                       RegistrationWay way)
    : dma_space_(dma_space), size_((bytes + kPage - 1) / kPage * kPage) {
  data_ = static_cast<std::byte*>(std::aligned_alloc(kPage, size_));
  RAILGAUGE_CHECK(data_ != nullptr);
  std::memset(data_, 0, size_);
  dma_address_ = dma_space_->Add({data_, size_, place, way});
}

TestMemory::~TestMemory() {
  dma_space_->Remove(dma_address_);
  std::free(data_);
}

void TestMemory::Fill(uint32_t seed) {
  for (uint64_t i = 0; i < size_; ++i) data_[i] = std::byte{Pattern(seed, i)};
}

bool TestMemory::IsFilled(uint32_t seed, uint64_t offset, uint64_t bytes) const {
  for (uint64_t i = offset; i < offset + bytes; ++i) {
    if (data_[i] != std::byte{Pattern(seed, i)}) return false;
  }
  return true;
}

bool TestMemory::IsZero(uint64_t offset, uint64_t bytes) const {
  return std::all_of(data_ + offset, data_ + offset + bytes,
                     [](std::byte value) { return value == std::byte{0}; });
}

struct TestFabric::Bars {
  PciAddress address;
  LocalDevice* device = nullptr;
  std::vector<uint64_t> llq = std::vector<uint64_t>(256 * 1024 / sizeof(uint64_t));
  std::vector<uint64_t> doorbells = std::vector<uint64_t>(4 * kPage / sizeof(uint64_t));
};

TestFabric::TestFabric(const EmulatedMachine& machine, bool real_clock) {
  FabricEnvironment environment;
  environment.now = [this] { return now(); };
  if (real_clock) {
    environment.now = [] {
      return Nanoseconds(std::chrono::steady_clock::now().time_since_epoch());
    };
  }
  environment.wake = [this] {
    ++wakes;
    if (on_wake) on_wake();
  };
  environment.completion_event = [this](uint32_t, const PciAddress& nic, uint16_t cq) {
    events.emplace_back(nic, cq);
  };
  environment.device_removed = [this](uint32_t, const PciAddress&) { ++removals; };
  environment.copy = [this](std::span<const MemoryCopy> copies) {
    for (const MemoryCopy& piece : copies) {
      if (!copy) {
        std::memcpy(piece.destination, piece.source, piece.bytes);
        continue;
      }
      const CopyOutcome outcome = copy(piece.destination, piece.source, piece.bytes);
      if (outcome != CopyOutcome::kDone) return outcome;
    }
    return CopyOutcome::kDone;
  };
  fabric_ = std::make_unique<Fabric>(machine, &dma_space_, environment);
  for (const EmulatedNic& nic : machine.nics) {
    auto bars = std::make_unique<Bars>();
    bars->address = nic.address;
    bars->device =
        fabric_->AddDevice(nic.address, {std::as_writable_bytes(std::span(bars->llq)),
                                         std::as_writable_bytes(std::span(bars->doorbells))});
    RAILGAUGE_CHECK(bars->device != nullptr);
    bars_.push_back(std::move(bars));
  }
}

TestFabric::~TestFabric() = default;

LocalDevice& TestFabric::device(const PciAddress& address) {
  const auto found = std::find_if(bars_.begin(), bars_.end(),
                                  [&](const auto& bars) { return bars->address == address; });
  RAILGAUGE_CHECK(found != bars_.end());
  return *(*found)->device;
}

std::byte* TestFabric::llq(const PciAddress& address) {
  const auto found = std::find_if(bars_.begin(), bars_.end(),
                                  [&](const auto& bars) { return bars->address == address; });
  RAILGAUGE_CHECK(found != bars_.end());
  return reinterpret_cast<std::byte*>((*found)->llq.data());
}

void TestFabric::RunUntilIdle() {
  while (const std::optional<Nanoseconds> next = Poll())
    now_ = std::max(now_.load(), next->count());
}

uint32_t TestCompletion::byte_length() const {
  uint32_t length = entry.base.length;
  if (op() == EFA_IO_RDMA_WRITE) length |= uint32_t{entry.u.rdma_write.length_hi} << 16;
  return length;
}

TestCq::TestCq(TestFabric& rig, const PciAddress& nic, uint16_t uar, const Options& options)
    : rig_(rig), nic_(nic), options_(options), consumed_(options.num_sub_cqs) {
  ring_ = std::make_unique<TestMemory>(
      &rig.dma_space(), uint64_t{options.depth} * options.num_sub_cqs * options.entry_size);
  CreateCqParams params;
  params.uar = uar;
  params.depth = options.depth;
  params.num_sub_cqs = options.num_sub_cqs;
  params.entry_size_bytes = options.entry_size;
  params.dma_address = ring_->dma_address();
  params.set_src_addr = options.set_src_addr;
  params.interrupt_mode = options.interrupt_mode;
  result_ = rig.device(nic).CreateCq(params).value();
}

std::optional<TestCompletion> TestCq::Poll() {
  for (uint16_t i = 0; i < options_.num_sub_cqs; ++i) {
    const uint16_t sub_cq = next_;
    next_ = static_cast<uint16_t>((next_ + 1) % options_.num_sub_cqs);
    uint32_t& consumed = consumed_[sub_cq];
    const uint32_t expected_phase = ((consumed / options_.depth) & 1) == 0;
    std::byte* slot =
        ring_->data() +
        (size_t{sub_cq} * options_.depth + consumed % options_.depth) * options_.entry_size;
    // The word with the phase first, then the rest.
    const uint32_t first = std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(slot))
                               .load(std::memory_order_acquire);
    if (((first >> 24) & kCompletionPhase) != expected_phase) continue;
    ++consumed;
    ++total_;
    TestCompletion completion{};
    if (options_.entry_size == sizeof(efa_io_rx_cdesc)) {
      completion.entry.base = LoadShared<efa_io_rx_cdesc>(slot);
    } else {
      completion.entry = LoadShared<efa_io_rx_cdesc_ex>(slot);
    }
    completion.common = completion.entry.base.common;
    return completion;
  }
  return std::nullopt;
}

void TestCq::Arm() { ReportConsumed(true); }

void TestCq::ReportConsumed(bool arm) {
  rig_.device(nic_).Doorbell(result_.db_offset,
                             PutField(kCqDoorbellConsumerIndexMask, total_) |
                                 PutField(kCqDoorbellCommandSequenceMask, command_sequence_ & 3) |
                                 PutField(kCqDoorbellArmMask, arm));
}

TestQp::TestQp(TestFabric& rig, const PciAddress& nic, uint16_t pd, uint16_t uar, TestCq& send_cq,
               TestCq& recv_cq, const Options& options)
    : rig_(rig), nic_(nic), options_(options) {
  CreateQpParams params;
  params.pd = pd;
  params.type = options.type;
  params.send_cq = send_cq.number();
  params.recv_cq = recv_cq.number();
  params.uar = uar;
  params.sq_depth = options.sq_depth;
  params.sq_ring_bytes = options.sq_depth * static_cast<uint32_t>(sizeof(efa_io_tx_wqe));
  params.rq_depth = options.rq_depth;
  params.rq_ring_bytes = options.rq_depth * static_cast<uint32_t>(sizeof(efa_io_rx_desc));
  params.unsolicited_write_recv = options.unsolicited_write_recv;
  if (options.rq_depth > 0) {
    rq_ring_ = std::make_unique<TestMemory>(&rig.dma_space(), params.rq_ring_bytes);
    params.rq_dma_address = rq_ring_->dma_address();
  }
  result_ = rig.device(nic).CreateQp(params).value();
  if (options.ready) ToReady();
}

AdminStatus TestQp::Modify(QpState state) {
  ModifyQpParams params;
  params.qp_handle = result_.qp_handle;
  params.set_state = true;
  params.state = state;
  params.set_qkey = state == QpState::kInit;
  params.qkey = kQkey;
  return rig_.device(nic_).ModifyQp(params);
}

void TestQp::ToReady() {
  for (const QpState state : {QpState::kInit, QpState::kRtr, QpState::kRts}) {
    RAILGAUGE_CHECK(Modify(state) == AdminStatus::kSuccess);
  }
}

void TestQp::Post(const efa_io_tx_wqe& wqe) {
  std::byte* ring = rig_.llq(nic_) + result_.llq_offset;
  std::memcpy(ring + (sq_counter_ % options_.sq_depth) * sizeof(wqe), &wqe, sizeof(wqe));
  ++sq_counter_;
}

void TestQp::RingSend() { rig_.device(nic_).Doorbell(result_.sq_db_offset, sq_counter_); }

void TestQp::PostReceive(uint16_t req_id, uint64_t address, uint32_t lkey, uint16_t length,
                         bool first, bool last) {
  efa_io_rx_desc descriptor{};
  descriptor.req_id = req_id;
  descriptor.buf_addr_lo = static_cast<uint32_t>(address);
  descriptor.buf_addr_hi = static_cast<uint32_t>(address >> 32);
  descriptor.length = length;
  descriptor.lkey_ctrl =
      PutField(kRxLkey, lkey) | PutField(kRxFirst, first) | PutField(kRxLast, last);
  std::memcpy(rq_ring_->data() + (rq_counter_ % options_.rq_depth) * sizeof(descriptor),
              &descriptor, sizeof(descriptor));
  ++rq_counter_;
}

void TestQp::RingReceive() { rig_.device(nic_).Doorbell(result_.rq_db_offset, rq_counter_); }

TestEnd::TestEnd(TestFabric& test_rig, const PciAddress& address, const Options& options)
    : rig(test_rig),
      nic(address),
      device(rig.device(address)),
      pd(device.AllocPd().value()),
      uar(device.AllocUar().value()),
      send_cq(rig, address, uar, options.cq),
      recv_cq(rig, address, uar, options.cq),
      qp(rig, address, pd, uar, send_cq, recv_cq, options.qp),
      memory(&rig.dma_space(), options.bytes, options.place, options.way),
      mr(device.RegMr(MakeRegMr(pd, memory, options.permissions)).value()) {}

uint16_t TestEnd::Meet(TestEnd& other) {
  other.device.CreateAh(other.pd, device.GetAttributes().gid).value();
  return device.CreateAh(pd, other.device.GetAttributes().gid).value();
}

TestCompletion TestEnd::ExpectSendCompletion() {
  const auto completion = send_cq.Poll();
  EXPECT_TRUE(completion.has_value());
  if (!completion) return {};
  EXPECT_FALSE(completion->is_receive());
  EXPECT_EQ(completion->common.qp_num, qp.number());
  return *completion;
}

TestCompletion TestEnd::ExpectReceiveCompletion() {
  const auto completion = recv_cq.Poll();
  EXPECT_TRUE(completion.has_value());
  if (!completion) return {};
  EXPECT_TRUE(completion->is_receive());
  EXPECT_EQ(completion->common.qp_num, qp.number());
  return *completion;
}

namespace {

efa_io_tx_wqe MakeWqe(SendOp op, uint16_t ah, const TestEnd& target, uint16_t req_id) {
  efa_io_tx_wqe wqe{};
  wqe.meta.req_id = req_id;
  wqe.meta.ctrl1 = static_cast<uint8_t>(PutField(kTxMetaDesc, 1) |
                                        PutField(kTxOpType, static_cast<uint32_t>(op)));
  wqe.meta.ctrl2 = static_cast<uint8_t>(PutField(kTxFirst, 1) | PutField(kTxLast, 1) |
                                        PutField(kTxCompletionRequested, 1));
  wqe.meta.dest_qp_num = target.qp.number();
  wqe.meta.length = 1;
  wqe.meta.ah = ah;
  wqe.meta.qkey = TestQp::kQkey;
  return wqe;
}

efa_io_tx_buf_desc MakeBuffer(const TestEnd& end, uint32_t length) {
  return {length, end.mr.lkey, static_cast<uint32_t>(end.memory.iova()),
          static_cast<uint32_t>(end.memory.iova() >> 32)};
}

}  // namespace

efa_io_tx_wqe MakeRdma(SendOp op, const TestEnd& initiator, uint16_t ah, const TestEnd& target,
                       uint32_t length, uint16_t req_id) {
  efa_io_tx_wqe wqe = MakeWqe(op, ah, target, req_id);
  wqe.data.rdma_req.remote_mem = {length, target.mr.rkey,
                                  static_cast<uint32_t>(target.memory.iova()),
                                  static_cast<uint32_t>(target.memory.iova() >> 32)};
  wqe.data.rdma_req.local_mem[0] = MakeBuffer(initiator, length);
  return wqe;
}

efa_io_tx_wqe MakeSend(const TestEnd& initiator, uint16_t ah, const TestEnd& target,
                       uint32_t length, uint16_t req_id) {
  efa_io_tx_wqe wqe = MakeWqe(SendOp::kSend, ah, target, req_id);
  wqe.data.sgl[0] = MakeBuffer(initiator, length);
  return wqe;
}

void SetImmediate(efa_io_tx_wqe& wqe, uint32_t immediate) {
  wqe.meta.ctrl1 = static_cast<uint8_t>(wqe.meta.ctrl1 | PutField(kTxHasImm, 1));
  wqe.meta.immediate_data = immediate;
}

RegMrParams MakeRegMr(uint16_t pd, const TestMemory& memory, uint32_t permissions) {
  RegMrParams params;
  params.pd = pd;
  params.iova = memory.iova();
  params.length = memory.size();
  params.permissions = permissions;
  params.pages = {{memory.dma_address(), memory.size()}};
  return params;
}

}  // namespace railgauge::efa
