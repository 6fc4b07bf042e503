#include "lib/emulator/device/device.h"

#include <bit>
#include <optional>
#include <utility>

#include "lib/base/result.h"
#include "lib/emulator/device/admin_command.h"
#include "lib/emulator/device/fabric_state.h"
#include "lib/emulator/device/requester.h"
#include "lib/emulator/device/responder.h"

namespace railgauge::efa {
namespace {

constexpr uint32_t kSendDescriptorBytes = sizeof(efa_io_tx_wqe);
constexpr uint32_t kReceiveDescriptorBytes = sizeof(efa_io_rx_desc);

// EFADV_MR_ATTR_VALIDITY_*.
constexpr uint8_t kValidRecv = 1u << 0;
constexpr uint8_t kValidRdmaRead = 1u << 1;
constexpr uint8_t kValidRdmaRecv = 1u << 2;

AdminStatus CheckMr(const DeviceState& device, const RegMrParams& params) {
  const uint32_t permissions = params.permissions;
  if ((permissions & ~(kLocalWrite | kRemoteWrite | kRemoteRead)) != 0) {
    return AdminStatus::kIllegalParameter;
  }
  if (((permissions & kRemoteRead) != 0 && !device.model.rdma_read) ||
      ((permissions & kRemoteWrite) != 0 && !device.model.rdma_write)) {
    return AdminStatus::kUnsupportedOpcode;
  }
  if ((permissions & kRemoteWrite) != 0 && (permissions & kLocalWrite) == 0) {
    return AdminStatus::kIllegalParameter;
  }
  if (!device.pds.Exists(params.pd)) return AdminStatus::kIllegalParameter;
  constexpr uint64_t kPageSize = 4096;
  const uint64_t pages = params.length / kPageSize + (params.length % kPageSize != 0);
  if (pages > device.model.max_mr_pages) return AdminStatus::kResourceAllocationFailure;
  return AdminStatus::kSuccess;
}

// What REG_MR answers: keys, and the ids of the interconnect to the region's first page.
RegMrResult MakeRegMrResult(const DeviceState& device, const Mr& mr) {
  const Mr::Segment& first = mr.segments.front();
  const InterconnectIds& ids = device.node.machine.IdsOf(device.address, first.place, first.way);
  RegMrResult result;
  result.lkey = mr.lkey;
  result.rkey = mr.rkey;
  const auto answer = [&result](const std::optional<uint16_t>& id, uint8_t bit, uint8_t& field) {
    if (!id) return;
    RAILGAUGE_CHECK(*id <= 0xff);
    field = static_cast<uint8_t>(*id);
    result.validity = static_cast<uint8_t>(result.validity | bit);
  };
  answer(ids.recv, kValidRecv, result.recv_ic_id);
  answer(ids.rdma_read, kValidRdmaRead, result.rdma_read_ic_id);
  answer(ids.rdma_recv, kValidRdmaRecv, result.rdma_recv_ic_id);
  return result;
}

AdminStatus CheckCq(const DeviceState& device, const CreateCqParams& params) {
  if (!device.uars.IsAllocated(params.uar) || !std::has_single_bit(params.depth) ||
      params.num_sub_cqs == 0 || params.num_sub_cqs > device.model.sub_cqs_per_cq ||
      (params.entry_size_bytes != sizeof(efa_io_rx_cdesc) &&
       params.entry_size_bytes != sizeof(efa_io_rx_cdesc_ex))) {
    return AdminStatus::kIllegalParameter;
  }
  if (params.set_src_addr && !device.model.cq_with_sgid) return AdminStatus::kUnsupportedOpcode;
  if (params.set_src_addr && params.entry_size_bytes < sizeof(efa_io_rx_cdesc_ex)) {
    return AdminStatus::kIllegalParameter;
  }
  if (params.depth > device.model.max_cqe) return AdminStatus::kResourceAllocationFailure;
  return AdminStatus::kSuccess;
}

// Whether a queue of `depth` requests fits a ring of `bytes`.
bool IsRing(uint32_t depth, uint32_t bytes, uint32_t descriptor_bytes) {
  if (bytes == 0) return depth == 0;
  const uint32_t descriptors = bytes / descriptor_bytes;
  return bytes % descriptor_bytes == 0 && std::has_single_bit(descriptors) &&
         descriptors <= DescriptorRing::kMaxDepth && depth <= descriptors;
}

AdminStatus CheckQp(const DeviceState& device, const CreateQpParams& params) {
  if (params.type != QpType::kUd && params.type != QpType::kSrd) {
    return AdminStatus::kUnsupportedOpcode;
  }
  if (params.unsolicited_write_recv && !device.model.unsolicited_write_recv) {
    return AdminStatus::kUnsupportedOpcode;
  }
  if (!device.pds.Exists(params.pd) || !device.uars.IsAllocated(params.uar) ||
      device.FindCq(params.send_cq) == nullptr || device.FindCq(params.recv_cq) == nullptr ||
      !IsRing(params.sq_depth, params.sq_ring_bytes, kSendDescriptorBytes) ||
      !IsRing(params.rq_depth, params.rq_ring_bytes, kReceiveDescriptorBytes)) {
    return AdminStatus::kIllegalParameter;
  }
  if (params.sq_depth > device.model.max_sq_wr || params.rq_depth > device.model.max_rq_wr ||
      params.sq_ring_bytes > device.model.max_llq_size) {
    return AdminStatus::kResourceAllocationFailure;
  }
  return AdminStatus::kSuccess;
}

// The memory of a ring that the host allocated; null when it is not there or not aligned.
std::byte* ResolveRing(const DeviceState& device, uint64_t dma_address, uint64_t bytes) {
  const auto range = device.fabric.dma_space.Resolve(dma_address, bytes);
  if (!range || reinterpret_cast<uintptr_t>(range->memory) % sizeof(uint64_t) != 0) return nullptr;
  return range->memory;
}

// Gives back what a QP holds of the device's tables.
void ReleaseQp(DeviceState& device, const QueuePair& qp, uint16_t queues_bound) {
  if (queues_bound > 0) device.uars.Unbind(qp.sq_db_offset);
  if (queues_bound > 1) device.uars.Unbind(qp.rq_db_offset);
  if (qp.llq_bytes > 0) device.llq.Free(qp.llq_offset);
  device.qps.Remove(qp.handle);
}

// LLQ memory and doorbells of a new QP. False: something is full, and nothing is held.
bool AllocateQueues(DeviceState& device, const CreateQpParams& params, QueuePair& qp) {
  if (params.sq_ring_bytes > 0) {
    const std::optional<uint64_t> offset = device.llq.Allocate(params.sq_ring_bytes);
    if (!offset) {
      ReleaseQp(device, qp, 0);
      return false;
    }
    qp.llq_offset = static_cast<uint32_t>(*offset);
    qp.llq_bytes = params.sq_ring_bytes;
    qp.sq = DescriptorRing(device.bars.llq.data() + *offset,
                           params.sq_ring_bytes / kSendDescriptorBytes);
  }
  const auto sq_db = device.uars.Bind(params.uar, {DoorbellTarget::Kind::kSendQueue, qp.handle});
  if (!sq_db) {
    ReleaseQp(device, qp, 0);
    return false;
  }
  qp.sq_db_offset = *sq_db;
  const auto rq_db = device.uars.Bind(params.uar, {DoorbellTarget::Kind::kReceiveQueue, qp.handle});
  if (!rq_db) {
    ReleaseQp(device, qp, 1);
    return false;
  }
  qp.rq_db_offset = *rq_db;
  return true;
}

// Leaves the QP without anything in flight or posted. `lock` is given up meanwhile; false when the
// QP was destroyed in that time.
bool Quiesce(DeviceState& device, Engine::Lock& lock, uint32_t qp_handle) {
  device.fabric.engine.WaitForCopies(lock);
  return device.qps.FindByHandle(qp_handle) != nullptr;
}

void EnterReset(DeviceState& device, QueuePair& qp) {
  DropSendQueue(device, qp);
  ++qp.resets;
  qp.sq.Reset();
  qp.rq.Reset();
}

// The state is set before the wait, so that nothing new is copied for this QP meanwhile.
void ChangeState(DeviceState& device, Engine::Lock& lock, QueuePair& qp, QpState state) {
  const uint32_t handle = qp.handle;
  const QpState before = std::exchange(qp.state, state);
  if (state == QpState::kReset) {
    if (Quiesce(device, lock, handle)) EnterReset(device, qp);
  } else if (state == QpState::kErr && before != QpState::kErr) {
    if (!Quiesce(device, lock, handle)) return;
    FlushSendQueue(device, qp);
    FlushReceiveQueue(device, qp);
  } else if (state == QpState::kRts) {
    ProcessSendQueue(device, qp, device.fabric.engine.Now());
  }
}

AdminStatus EndQp(DeviceState& device, Engine::Lock& lock, uint32_t qp_handle) {
  QueuePair* qp = device.qps.FindByHandle(qp_handle);
  if (qp == nullptr) return AdminStatus::kIllegalParameter;
  ChangeState(device, lock, *qp, QpState::kReset);
  qp = device.qps.FindByHandle(qp_handle);
  if (qp == nullptr) return AdminStatus::kIllegalParameter;
  --device.FindCq(qp->send_cq)->users;
  --device.FindCq(qp->recv_cq)->users;
  device.pds.RemoveUser(qp->pd);
  RemoveFlows(device, *qp);
  ReleaseQp(device, *qp, 2);
  return AdminStatus::kSuccess;
}

void OnSendDoorbell(DeviceState& device, QueuePair& qp, uint32_t value) {
  if (qp.state == QpState::kReset) return;
  qp.sq.SetProducer(value);
  if (qp.state == QpState::kErr) return FlushSendQueue(device, qp);
  ProcessSendQueue(device, qp, device.fabric.engine.Now());
}

void OnReceiveDoorbell(DeviceState& device, QueuePair& qp, uint32_t value) {
  if (qp.state == QpState::kReset) return;
  qp.rq.SetProducer(value);
  if (qp.state == QpState::kErr) FlushReceiveQueue(device, qp);
}

}  // namespace

DeviceAttributes LocalDevice::GetAttributes() const {
  const EmulatedNicModel& model = state_->model;
  DeviceAttributes attributes;
  attributes.firmware = model.firmware;
  attributes.gid = state_->gid;
  attributes.mtu = model.mtu;
  attributes.max_rdma_size = model.max_rdma_size;
  attributes.rdma_read = model.rdma_read;
  attributes.rdma_write = model.rdma_write;
  attributes.rnr_retry = model.rnr_retry;
  attributes.cq_notifications = true;
  attributes.cq_with_sgid = model.cq_with_sgid;
  attributes.unsolicited_write_recv = model.unsolicited_write_recv;
  attributes.max_qp = model.max_qp;
  attributes.max_sq_depth = model.max_sq_wr;
  attributes.max_rq_depth = model.max_rq_wr;
  attributes.max_cq = model.max_cq;
  attributes.max_cq_depth = model.max_cqe;
  attributes.max_mr = model.max_mr;
  attributes.max_pd = model.max_pd;
  attributes.max_ah = model.max_ah;
  attributes.max_llq_size = model.max_llq_size;
  attributes.max_mr_pages = model.max_mr_pages;
  attributes.max_send_sge = static_cast<uint16_t>(model.max_sq_sge);
  attributes.max_recv_sge = static_cast<uint16_t>(model.max_rq_sge);
  attributes.max_rdma_sge = EFA_IO_TX_DESC_NUM_RDMA_BUFS;
  attributes.inline_buf_size = static_cast<uint16_t>(model.inline_buf_size);
  attributes.max_tx_batch = static_cast<uint16_t>(model.max_tx_batch);
  attributes.min_sq_depth = static_cast<uint16_t>(model.min_sq_wr);
  attributes.sub_cqs_per_cq = static_cast<uint16_t>(model.sub_cqs_per_cq);
  return attributes;
}

DeviceStats LocalDevice::GetStats() const {
  const auto lock = state_->fabric.engine.Acquire();
  return state_->faults.Show(state_->stats, state_->model, state_->fabric.engine.Now());
}

AdminResult<uint16_t> LocalDevice::AllocPd() {
  return ExecuteUnlessGone(*state_, [&](Engine::Lock&) -> AdminResult<uint16_t> {
    const std::optional<uint16_t> pd = state_->pds.Allocate();
    if (!pd) return Exhausted();
    return *pd;
  });
}

AdminStatus LocalDevice::DeallocPd(uint16_t pd) {
  return Execute(*state_, [&](Engine::Lock&) {
    if (!state_->pds.Exists(pd)) return AdminStatus::kIllegalParameter;
    if (state_->pds.InUse(pd)) return AdminStatus::kResourceBusy;
    state_->pds.Free(pd);
    return AdminStatus::kSuccess;
  });
}

AdminResult<uint16_t> LocalDevice::AllocUar() {
  return ExecuteUnlessGone(*state_, [&](Engine::Lock&) -> AdminResult<uint16_t> {
    const std::optional<uint16_t> uar = state_->uars.Allocate();
    if (!uar) return Exhausted();
    state_->faults.OnOpened(state_->fabric.engine.Now());
    if (!state_->faults.faults().empty()) state_->fabric.engine.Wake();
    return *uar;
  });
}

AdminStatus LocalDevice::DeallocUar(uint16_t uar) {
  return Execute(*state_, [&](Engine::Lock&) {
    if (!state_->uars.IsAllocated(uar)) return AdminStatus::kIllegalParameter;
    if (state_->uars.InUse(uar)) return AdminStatus::kResourceBusy;
    state_->uars.Free(uar);
    return AdminStatus::kSuccess;
  });
}

AdminResult<RegMrResult> LocalDevice::RegMr(const RegMrParams& params) {
  return ExecuteUnlessGone(*state_, [&](Engine::Lock&) -> AdminResult<RegMrResult> {
    const AdminStatus status = CheckMr(*state_, params);
    if (status != AdminStatus::kSuccess) return Refuse(status);
    AdminResult<Mr> made = MakeMr(params, state_->fabric.dma_space, state_->paths);
    if (!made) return Refuse(made.error());
    const std::shared_ptr<Mr> mr = state_->mrs.Add(*std::move(made));
    if (!mr) return Exhausted();
    state_->pds.AddUser(mr->pd);
    return MakeRegMrResult(*state_, *mr);
  });
}

AdminStatus LocalDevice::DeregMr(uint32_t lkey) {
  return Execute(*state_, [&](Engine::Lock& lock) {
    const std::shared_ptr<Mr> mr = state_->mrs.Remove(lkey);
    if (!mr) return AdminStatus::kIllegalParameter;
    state_->pds.RemoveUser(mr->pd);
    // What is not being copied yet finds the region dead and fails.
    state_->fabric.engine.WaitForCopies(lock);
    return AdminStatus::kSuccess;
  });
}

AdminResult<uint16_t> LocalDevice::CreateAh(uint16_t pd, const Gid& gid) {
  return ExecuteUnlessGone(*state_, [&](Engine::Lock&) -> AdminResult<uint16_t> {
    if (!state_->pds.Exists(pd)) return Illegal();
    const std::optional<uint16_t> ah = state_->ahs.Create(pd, gid);
    if (!ah) return Exhausted();
    state_->pds.AddUser(pd);
    return *ah;
  });
}

AdminStatus LocalDevice::DestroyAh(uint16_t pd, uint16_t ah) {
  return Execute(*state_, [&](Engine::Lock&) {
    if (!state_->ahs.Destroy(pd, ah)) return AdminStatus::kIllegalParameter;
    state_->pds.RemoveUser(pd);
    return AdminStatus::kSuccess;
  });
}

AdminResult<CreateCqResult> LocalDevice::CreateCq(const CreateCqParams& params) {
  return ExecuteUnlessGone(*state_, [&](Engine::Lock&) -> AdminResult<CreateCqResult> {
    const AdminStatus status = CheckCq(*state_, params);
    if (status != AdminStatus::kSuccess) return Refuse(status);
    const uint64_t bytes = uint64_t{params.depth} * params.entry_size_bytes * params.num_sub_cqs;
    std::byte* ring = ResolveRing(*state_, params.dma_address, bytes);
    if (ring == nullptr) return Illegal();
    const std::optional<uint32_t> number = state_->cq_numbers.Allocate();
    if (!number) return Exhausted();
    const auto db =
        state_->uars.Bind(params.uar, {DoorbellTarget::Kind::kCompletionQueue, *number});
    if (!db) {
      state_->cq_numbers.Free(*number);
      return Exhausted();
    }
    if (*number >= state_->cqs.size()) state_->cqs.resize(*number + 1);
    auto cq = std::make_unique<CompletionQueue>(
        CompletionQueue::Shape{ring, params.depth, params.num_sub_cqs, params.entry_size_bytes,
                               params.set_src_addr, params.interrupt_mode});
    cq->db_offset = *db;
    state_->cqs[*number] = std::move(cq);
    return CreateCqResult{static_cast<uint16_t>(*number), params.depth, *db};
  });
}

AdminStatus LocalDevice::DestroyCq(uint16_t cq) {
  return Execute(*state_, [&](Engine::Lock&) {
    const CompletionQueue* queue = state_->FindCq(cq);
    if (queue == nullptr) return AdminStatus::kIllegalParameter;
    if (queue->users > 0) return AdminStatus::kResourceBusy;
    state_->uars.Unbind(queue->db_offset);
    state_->cqs[cq].reset();
    state_->cq_numbers.Free(cq);
    return AdminStatus::kSuccess;
  });
}

AdminResult<CreateQpResult> LocalDevice::CreateQp(const CreateQpParams& params) {
  return ExecuteUnlessGone(*state_, [&](Engine::Lock&) -> AdminResult<CreateQpResult> {
    DeviceState& device = *state_;
    const AdminStatus status = CheckQp(device, params);
    if (status != AdminStatus::kSuccess) return Refuse(status);
    std::byte* rq_ring = nullptr;
    if (params.rq_ring_bytes > 0) {
      rq_ring = ResolveRing(device, params.rq_dma_address, params.rq_ring_bytes);
      if (rq_ring == nullptr) return Illegal();
    }
    QueuePair* qp = device.qps.Add();
    if (qp == nullptr || !AllocateQueues(device, params, *qp)) return Exhausted();
    qp->rq = DescriptorRing(rq_ring, params.rq_ring_bytes / kReceiveDescriptorBytes);
    qp->type = params.type;
    qp->pd = params.pd;
    qp->unsolicited_write_recv = params.unsolicited_write_recv;
    qp->send_cq = params.send_cq;
    qp->recv_cq = params.recv_cq;
    CompletionQueue& send_cq = *device.FindCq(params.send_cq);
    CompletionQueue& recv_cq = *device.FindCq(params.recv_cq);
    qp->send_sub_cq = send_cq.AssignSubCq();
    qp->recv_sub_cq = recv_cq.AssignSubCq();
    ++send_cq.users;
    ++recv_cq.users;
    device.pds.AddUser(params.pd);
    return CreateQpResult{qp->handle,       qp->number,      qp->llq_offset, qp->sq_db_offset,
                          qp->rq_db_offset, qp->send_sub_cq, qp->recv_sub_cq};
  });
}

AdminStatus LocalDevice::ModifyQp(const ModifyQpParams& params) {
  return ExecuteUnlessGone(*state_, [&](Engine::Lock& lock) {
    QueuePair* qp = state_->qps.FindByHandle(params.qp_handle);
    if (qp == nullptr) return AdminStatus::kIllegalParameter;
    if (params.set_state && !IsTransitionAllowed(qp->state, params.state)) {
      return AdminStatus::kIllegalParameter;
    }
    if (params.set_rnr_retry && !state_->model.rnr_retry) return AdminStatus::kUnsupportedOpcode;
    if (params.set_rnr_retry && params.rnr_retry > QueuePair::kInfiniteRnrRetry) {
      return AdminStatus::kIllegalParameter;
    }
    if (params.set_qkey) qp->qkey = params.qkey;
    if (params.set_sq_psn) qp->sq_psn = params.sq_psn;
    if (params.set_rnr_retry) qp->rnr_retry = params.rnr_retry;
    if (params.set_state) ChangeState(*state_, lock, *qp, params.state);
    return AdminStatus::kSuccess;
  });
}

AdminResult<QueryQpResult> LocalDevice::QueryQp(uint32_t qp_handle) const {
  return ExecuteUnlessGone(*state_, [&](Engine::Lock&) -> AdminResult<QueryQpResult> {
    const QueuePair* qp = state_->qps.FindByHandle(qp_handle);
    if (qp == nullptr) return Illegal();
    QueryQpResult result;
    result.state = qp->state;
    result.qkey = qp->qkey;
    result.sq_psn = qp->sq_psn;
    result.rnr_retry = qp->rnr_retry;
    result.sq_draining = qp->state == QpState::kSqd && !qp->in_flight.empty();
    return result;
  });
}

AdminStatus LocalDevice::DestroyQp(uint32_t qp_handle) {
  return Execute(*state_, [&](Engine::Lock& lock) { return EndQp(*state_, lock, qp_handle); });
}

AdminStatus LocalDevice::AbandonQp(uint32_t qp_handle) {
  return Execute(*state_, [&](Engine::Lock& lock) {
    // Before the wait for copies: nothing may find the QP gone and not dead meanwhile.
    if (state_->qps.FindByHandle(qp_handle) != nullptr) state_->qps.MarkDead(qp_handle);
    return EndQp(*state_, lock, qp_handle);
  });
}

ObjectCounts LocalDevice::CountObjects() const {
  const auto lock = state_->fabric.engine.Acquire();
  return {.pds = state_->pds.count(),
          .uars = state_->uars.count(),
          .mrs = state_->mrs.count(),
          .ahs = state_->ahs.count(),
          .cqs = state_->cq_numbers.in_use(),
          .qps = state_->qps.count(),
          .llq_bytes = state_->llq.bytes_in_use()};
}

void LocalDevice::Doorbell(uint64_t offset, uint32_t value) {
  Engine& engine = state_->fabric.engine;
  Engine::Lock lock = engine.Acquire();
  const DoorbellTarget target = IsGone(*state_) ? DoorbellTarget() : state_->uars.Find(offset);
  switch (target.kind) {
    case DoorbellTarget::Kind::kNone:
      break;
    case DoorbellTarget::Kind::kSendQueue:
      OnSendDoorbell(*state_, *state_->qps.FindByHandle(target.id), value);
      break;
    case DoorbellTarget::Kind::kReceiveQueue:
      OnReceiveDoorbell(*state_, *state_->qps.FindByHandle(target.id), value);
      break;
    case DoorbellTarget::Kind::kCompletionQueue:
      state_->cqs[target.id]->Doorbell(value);
      break;
  }
  engine.Release(lock);
}

}  // namespace railgauge::efa
