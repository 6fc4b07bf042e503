// UverbsFile: completion queues, their events, and queue pairs.
#include <infiniband/verbs.h>
#include <rdma/efa-abi.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

#include <bit>
#include <cerrno>

#include "lib/emulator/uverbs/uverbs_file.h"

namespace railgauge {

namespace {

constexpr uint64_t kPageMask = RingMemory::kPageBytes - 1;

// Which attributes a change of state must and may name (ib_modify_qp_is_ok() in the kernel, with
// the differences of SRD). A change that is not here is not allowed.
struct Transition {
  efa::QpState from, to;
  int required, optional;
};
using S = efa::QpState;
constexpr int kAddress = IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;
constexpr Transition kTransitions[] = {
    {S::kReset, S::kReset, 0, 0},
    {S::kReset, S::kInit, kAddress, 0},
    {S::kInit, S::kInit, 0, kAddress},
    {S::kInit, S::kRtr, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY},
    {S::kRtr, S::kRts, IBV_QP_SQ_PSN, IBV_QP_CUR_STATE | IBV_QP_QKEY | IBV_QP_RNR_RETRY},
    {S::kRts, S::kRts, 0, IBV_QP_CUR_STATE | IBV_QP_QKEY},
    {S::kRts, S::kSqd, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY},
    {S::kSqd, S::kRts, 0, IBV_QP_CUR_STATE | IBV_QP_QKEY},
    {S::kSqd, S::kSqd, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY},
    {S::kSqe, S::kRts, 0, IBV_QP_CUR_STATE | IBV_QP_QKEY},
};

int CheckTransition(efa::QpState from, efa::QpState to, int mask) {
  // Reset and error are reached from everywhere, with nothing else named.
  if (to == S::kReset || to == S::kErr) return (mask & ~IBV_QP_STATE) == 0 ? 0 : EINVAL;
  for (const Transition& transition : kTransitions) {
    if (transition.from != from || transition.to != to) continue;
    if ((mask & transition.required) != transition.required) return EINVAL;
    return (mask & ~(transition.required | transition.optional | IBV_QP_STATE)) == 0 ? 0 : EINVAL;
  }
  return EINVAL;
}

}  // namespace

int UverbsFile::WriteCreateCompChannel(Attributes& attributes) {
  auto created = EventChannel::Create();
  if (!created) return created.error();
  channels_[created->application_fd] = created->channel;
  attributes.Out(UVERBS_ATTR_CORE_OUT, ib_uverbs_create_comp_channel_resp{
                                           .fd = static_cast<uint32_t>(created->application_fd)});
  return 0;
}

int UverbsFile::CreateCq(Attributes& attributes) {
  const auto depth = attributes.In<uint32_t>(UVERBS_ATTR_CREATE_CQ_CQE);
  const efa::DeviceAttributes device = device_.device->GetAttributes();
  if (attributes.In<uint32_t>(UVERBS_ATTR_CREATE_CQ_COMP_VECTOR) >= device_.num_comp_vectors) {
    return EINVAL;
  }
  if (attributes.In<uint32_t>(UVERBS_ATTR_CREATE_CQ_FLAGS) != 0) return EOPNOTSUPP;
  if (depth < 1 || depth > device.max_cq_depth) return EINVAL;
  const auto command = attributes.In<efa_ibv_create_cq>(UVERBS_ATTR_UHW_IN);
  const bool with_source = (command.flags & EFA_CREATE_CQ_WITH_SGID) != 0;
  const bool with_events = (command.flags & EFA_CREATE_CQ_WITH_COMPLETION_CHANNEL) != 0;
  constexpr uint32_t kSmallEntry = 16, kLargeEntry = 32;
  if (command.comp_mask != 0 || command.num_sub_cqs != device.sub_cqs_per_cq) return EINVAL;
  if (command.cq_entry_size != kSmallEntry && command.cq_entry_size != kLargeEntry) return EINVAL;
  if (with_source && (command.cq_entry_size != kLargeEntry || !device.cq_with_sgid)) return EINVAL;
  if (with_events && !device.cq_notifications) return EOPNOTSUPP;

  Cq cq;
  if (const int fd = attributes.Fd(UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL); fd >= 0) {
    const auto channel = channels_.find(fd);
    if (channel == channels_.end()) return EBADF;
    cq.channel = channel->second;
    cq.user_handle = attributes.In<uint64_t>(UVERBS_ATTR_CREATE_CQ_USER_HANDLE);
  }

  efa::CreateCqParams params;
  params.uar = uar_;
  params.depth = std::bit_ceil(depth);
  params.num_sub_cqs = command.num_sub_cqs;
  params.entry_size_bytes = command.cq_entry_size;
  params.set_src_addr = with_source;
  params.interrupt_mode = with_events;
  const uint64_t ring_bytes = uint64_t{params.depth} * params.num_sub_cqs * params.entry_size_bytes;
  const uint64_t mapped_bytes = (ring_bytes + kPageMask) & ~kPageMask;
  const auto key = device_.rings->Allocate(mapped_bytes);
  if (!key) return ENOMEM;
  cq.ring_key = *key;
  cq.dma_address = device_.dma_space->Add({.memory = device_.rings->At(*key, mapped_bytes).data(),
                                           .length = mapped_bytes,
                                           .place = MemoryPlace::NumaNode(0)});
  params.dma_address = cq.dma_address;
  const auto created = device_.device->CreateCq(params);
  if (!created) {
    ReleaseRing(cq.ring_key, cq.dma_address);
    return ErrnoOf(created.error());
  }
  cq.number = created->cq;
  if (cq.channel) {
    if (const int error = device_.events->Attach(cq.number, cq.channel, cq.user_handle)) {
      Destroy(cq);
      return error;
    }
  }

  efa_ibv_create_cq_resp response = {};
  response.q_mmap_key = cq.ring_key;
  response.q_mmap_size = mapped_bytes;
  response.cq_idx = created->cq;
  if (with_events) {
    response.comp_mask = EFA_CREATE_CQ_RESP_DB_OFF;
    response.db_off = created->db_offset & static_cast<uint32_t>(kPageMask);
    response.db_mmap_key = device_.doorbell_key + (created->db_offset & ~kPageMask);
  }
  attributes.Out(UVERBS_ATTR_UHW_OUT, response);
  attributes.Out(UVERBS_ATTR_CREATE_CQ_RESP_CQE, created->actual_depth);
  attributes.SetHandle(UVERBS_ATTR_CREATE_CQ_HANDLE, Insert(std::move(cq)));
  return 0;
}

int UverbsFile::DestroyCq(Attributes& attributes) {
  const uint32_t handle = attributes.Handle(UVERBS_ATTR_DESTROY_CQ_HANDLE);
  const auto found = Find<Cq>(handle);
  if (!found) return found.error();
  if ((*found)->users != 0) return EBUSY;
  // libibverbs waits until the application acknowledged what it has read; what it has not is gone.
  const std::shared_ptr<EventChannel> channel = (*found)->channel;
  const uint64_t user_handle = (*found)->user_handle;
  const uint32_t sent = Destroy(**found);
  objects_.erase(handle);
  ib_uverbs_destroy_cq_resp response = {};
  if (channel) response.comp_events_reported = sent - channel->RetractCompletions(user_handle);
  attributes.Out(UVERBS_ATTR_DESTROY_CQ_RESP, response);
  return 0;
}

uint32_t UverbsFile::Destroy(Cq& cq) {
  device_.device->DestroyCq(cq.number);
  const uint32_t events_sent = cq.channel ? device_.events->Detach(cq.number) : 0;
  ReleaseRing(cq.ring_key, cq.dma_address);
  return events_sent;
}

int UverbsFile::CreateQp(Attributes& attributes) {
  const efa::DeviceAttributes device = device_.device->GetAttributes();
  const auto cap = attributes.In<ib_uverbs_qp_cap>(UVERBS_ATTR_CREATE_QP_CAP);
  const auto type = attributes.In<uint64_t>(UVERBS_ATTR_CREATE_QP_TYPE);
  const auto flags = attributes.In<uint32_t>(UVERBS_ATTR_CREATE_QP_FLAGS);
  const auto command = attributes.In<efa_ibv_create_qp>(UVERBS_ATTR_UHW_IN);
  Qp qp;
  qp.pd_handle = attributes.Handle(UVERBS_ATTR_CREATE_QP_PD_HANDLE);
  qp.send_cq_handle = attributes.Handle(UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE);
  qp.recv_cq_handle = attributes.Handle(UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE);
  const auto pd = Find<Pd>(qp.pd_handle);
  if (!pd) return pd.error();
  const auto send_cq = Find<Cq>(qp.send_cq_handle);
  if (!send_cq) return send_cq.error();
  const auto recv_cq = Find<Cq>(qp.recv_cq_handle);
  if (!recv_cq) return recv_cq.error();

  if (type == IB_UVERBS_QPT_DRIVER) {
    if (command.driver_qp_type != EFA_QP_DRIVER_TYPE_SRD) return EOPNOTSUPP;
    qp.type = efa::QpType::kSrd;
  } else if (type == IB_UVERBS_QPT_UD) {
    qp.type = efa::QpType::kUd;
  } else {
    return EOPNOTSUPP;
  }
  if (attributes.Has(UVERBS_ATTR_CREATE_QP_SRQ_HANDLE)) return EOPNOTSUPP;
  if ((flags & ~uint32_t{IB_UVERBS_QP_CREATE_SQ_SIG_ALL}) != 0) return EOPNOTSUPP;
  constexpr uint16_t kKnownFlags = EFA_CREATE_QP_WITH_UNSOLICITED_WRITE_RECV;
  if (command.comp_mask != 0 || (command.flags & ~kKnownFlags) != 0) return EINVAL;
  const bool unsolicited = (command.flags & EFA_CREATE_QP_WITH_UNSOLICITED_WRITE_RECV) != 0;
  if (unsolicited && !device.unsolicited_write_recv) return EOPNOTSUPP;
  if (cap.max_send_wr > device.max_sq_depth || cap.max_recv_wr > device.max_rq_depth ||
      cap.max_send_sge > device.max_send_sge || cap.max_recv_sge > device.max_recv_sge ||
      cap.max_inline_data > device.inline_buf_size) {
    return EINVAL;
  }
  qp.max_send_wr = cap.max_send_wr;
  qp.max_recv_wr = cap.max_recv_wr;
  qp.max_send_sge = cap.max_send_sge;
  qp.max_recv_sge = cap.max_recv_sge;
  qp.max_inline_data = cap.max_inline_data;
  qp.sq_sig_all = (flags & IB_UVERBS_QP_CREATE_SQ_SIG_ALL) != 0;

  efa::CreateQpParams params;
  params.pd = (*pd)->number;
  params.type = qp.type;
  params.send_cq = (*send_cq)->number;
  params.recv_cq = (*recv_cq)->number;
  params.uar = uar_;
  params.sq_depth = cap.max_send_wr;
  params.sq_ring_bytes = command.sq_ring_size;
  params.rq_depth = cap.max_recv_wr;
  params.rq_ring_bytes = command.rq_ring_size;
  params.unsolicited_write_recv = unsolicited;
  const uint64_t rq_bytes = (uint64_t{command.rq_ring_size} + kPageMask) & ~kPageMask;
  if (rq_bytes != 0) {
    const auto key = device_.rings->Allocate(rq_bytes);
    if (!key) return ENOMEM;
    qp.rq_ring_key = *key;
    qp.rq_dma_address = device_.dma_space->Add({.memory = device_.rings->At(*key, rq_bytes).data(),
                                                .length = rq_bytes,
                                                .place = MemoryPlace::NumaNode(0)});
    params.rq_dma_address = qp.rq_dma_address;
  }
  const auto created = device_.device->CreateQp(params);
  if (!created) {
    ReleaseRing(qp.rq_ring_key, qp.rq_dma_address);
    return ErrnoOf(created.error());
  }
  qp.created = *created;
  ++(*pd)->users;
  ++(*send_cq)->users;
  ++(*recv_cq)->users;

  efa_ibv_create_qp_resp response = {};
  response.sq_db_offset = created->sq_db_offset & static_cast<uint32_t>(kPageMask);
  response.sq_db_mmap_key = device_.doorbell_key + (created->sq_db_offset & ~kPageMask);
  response.rq_db_offset = created->rq_db_offset & static_cast<uint32_t>(kPageMask);
  response.rq_db_mmap_key = device_.doorbell_key + (created->rq_db_offset & ~kPageMask);
  response.llq_desc_offset = created->llq_offset & static_cast<uint32_t>(kPageMask);
  response.llq_desc_mmap_key = device_.llq_key + (created->llq_offset & ~kPageMask);
  response.rq_mmap_key = qp.rq_ring_key;
  response.rq_mmap_size = rq_bytes;
  response.send_sub_cq_idx = created->send_sub_cq;
  response.recv_sub_cq_idx = created->recv_sub_cq;
  attributes.Out(UVERBS_ATTR_UHW_OUT, response);
  attributes.Out(UVERBS_ATTR_CREATE_QP_RESP_CAP, cap);
  attributes.Out(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, uint32_t{created->qp_num});
  attributes.SetHandle(UVERBS_ATTR_CREATE_QP_HANDLE, Insert(qp));
  return 0;
}

int UverbsFile::DestroyQp(Attributes& attributes) {
  const uint32_t handle = attributes.Handle(UVERBS_ATTR_DESTROY_QP_HANDLE);
  const auto qp = Find<Qp>(handle);
  if (!qp) return qp.error();
  Destroy(**qp);
  objects_.erase(handle);
  attributes.Out(UVERBS_ATTR_DESTROY_QP_RESP, ib_uverbs_destroy_qp_resp{});
  return 0;
}

void UverbsFile::Destroy(Qp& qp) {
  device_.device->DestroyQp(qp.created.qp_handle);
  --(*Find<Pd>(qp.pd_handle))->users;
  --(*Find<Cq>(qp.send_cq_handle))->users;
  --(*Find<Cq>(qp.recv_cq_handle))->users;
  ReleaseRing(qp.rq_ring_key, qp.rq_dma_address);
}

int UverbsFile::WriteQueryQp(Attributes& attributes) {
  const auto command = attributes.In<ib_uverbs_query_qp>(UVERBS_ATTR_CORE_IN);
  constexpr uint32_t kSupported = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY |
                                  IBV_QP_SQ_PSN | IBV_QP_CAP | IBV_QP_RNR_RETRY;
  if ((command.attr_mask & ~kSupported) != 0) return EOPNOTSUPP;
  const auto found = Find<Qp>(command.qp_handle);
  if (!found) return found.error();
  const Qp& qp = **found;
  const auto answer = device_.device->QueryQp(qp.created.qp_handle);
  if (!answer) return ErrnoOf(answer.error());
  ib_uverbs_query_qp_resp response = {};
  response.qp_state = response.cur_qp_state = static_cast<uint8_t>(answer->state);
  response.qkey = answer->qkey;
  response.sq_psn = answer->sq_psn;
  response.rnr_retry = answer->rnr_retry;
  response.sq_draining = answer->sq_draining ? 1 : 0;
  response.port_num = 1;
  response.max_send_wr = qp.max_send_wr;
  response.max_recv_wr = qp.max_recv_wr;
  response.max_send_sge = qp.max_send_sge;
  response.max_recv_sge = qp.max_recv_sge;
  response.max_inline_data = qp.max_inline_data;
  response.sq_sig_all = qp.sq_sig_all ? 1 : 0;
  attributes.Out(UVERBS_ATTR_CORE_OUT, response);
  return 0;
}

int UverbsFile::WriteModifyQp(Attributes& attributes) {
  const auto command = attributes.In<ib_uverbs_modify_qp>(UVERBS_ATTR_CORE_IN);
  const auto mask = static_cast<int>(command.attr_mask);
  constexpr int kSupported = IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY |
                             IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY | IBV_QP_SQ_PSN |
                             IBV_QP_RNR_RETRY;
  const auto found = Find<Qp>(command.qp_handle);
  if (!found) return found.error();
  const Qp& qp = **found;
  if ((mask & ~kSupported) != 0) return EOPNOTSUPP;
  const bool sets_rnr_retry = (mask & IBV_QP_RNR_RETRY) != 0;
  if (sets_rnr_retry &&
      (qp.type != efa::QpType::kSrd || !device_.device->GetAttributes().rnr_retry)) {
    return EOPNOTSUPP;
  }
  if ((mask & IBV_QP_PORT) != 0 && command.port_num != 1) return EINVAL;
  if ((mask & IBV_QP_PKEY_INDEX) != 0 && command.pkey_index != 0) return EINVAL;
  const auto current = device_.device->QueryQp(qp.created.qp_handle);
  if (!current) return ErrnoOf(current.error());
  if ((mask & IBV_QP_CUR_STATE) != 0 &&
      command.cur_qp_state != static_cast<uint8_t>(current->state)) {
    return EINVAL;
  }
  efa::ModifyQpParams params;
  params.qp_handle = qp.created.qp_handle;
  params.set_state = (mask & IBV_QP_STATE) != 0;
  params.set_qkey = (mask & IBV_QP_QKEY) != 0;
  params.set_sq_psn = (mask & IBV_QP_SQ_PSN) != 0;
  params.set_rnr_retry = sets_rnr_retry;
  params.state = params.set_state ? static_cast<efa::QpState>(command.qp_state) : current->state;
  params.qkey = command.qkey;
  params.sq_psn = command.sq_psn;
  params.rnr_retry = command.rnr_retry;
  if (const int error = CheckTransition(current->state, params.state, mask)) return error;
  return ErrnoOf(device_.device->ModifyQp(params));
}

}  // namespace railgauge
