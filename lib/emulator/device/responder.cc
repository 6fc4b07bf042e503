#include "lib/emulator/device/responder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/emulator/device/local_memory.h"

namespace railgauge::efa {
namespace {

// What the receiver sees of a transfer, whatever becomes of it.
Completion ReceiveCompletion(const Transfer& transfer, const QueuePair& qp) {
  Completion completion;
  completion.queue = QueueType::kReceive;
  completion.op = transfer.request.op;
  completion.qp_num = qp.number;
  completion.has_imm = transfer.request.has_imm;
  completion.imm = transfer.request.imm;
  completion.src_qp_num = transfer.qp->number;
  completion.src_gid = transfer.initiator->gid;
  completion.ah =
      transfer.target->ahs.FindByGid(qp.pd, transfer.initiator->gid).value_or(kUnknownAh);
  return completion;
}

void Complete(const Transfer& transfer, const QueuePair& qp, const Completion& completion) {
  transfer.target->Complete(qp.recv_cq, qp.recv_sub_cq, completion);
}

// A global route header as UD receivers find it before the payload (InfiniBand 8.3).
std::array<std::byte, kGrhBytes> MakeGrh(const Gid& source, const Gid& destination,
                                         uint64_t payload) {
  std::array<std::byte, kGrhBytes> grh{};
  grh[0] = std::byte{0x60};  // IP version 6
  grh[4] = static_cast<std::byte>(payload >> 8);
  grh[5] = static_cast<std::byte>(payload);
  grh[6] = std::byte{0x1b};  // next header: IBA transport
  const auto as_byte = [](uint8_t value) { return std::byte{value}; };
  std::transform(source.begin(), source.end(), grh.begin() + 8, as_byte);
  std::transform(destination.begin(), destination.end(), grh.begin() + 24, as_byte);
  return grh;
}

// The QP that the transfer was for, as long as it is the same one.
QueuePair* SameTargetQp(const Transfer& transfer) {
  QueuePair* qp = transfer.target->qps.FindByHandle(transfer.target_qp);
  return qp != nullptr && qp->resets == transfer.target_resets ? qp : nullptr;
}

}  // namespace

QueuePair* LiveTargetQp(const Transfer& transfer) {
  QueuePair* qp = SameTargetQp(transfer);
  return qp != nullptr && qp->CanReceive() ? qp : nullptr;
}

CompletionStatus StatusOfLostTarget(const Transfer& transfer) {
  return transfer.target->qps.IsDead(transfer.target_qp) ? CompletionStatus::kUnrespRemote
                                                         : CompletionStatus::kBadDestQpn;
}

CompletionStatus FindTargetQp(Transfer& transfer) {
  const SendRequest& request = transfer.request;
  const QpTable& qps = transfer.target->qps;
  const QueuePair* qp = qps.FindByNumber(request.dest_qp_num);
  if (const std::optional<uint32_t> dead = qps.FindDead(request.dest_qp_num)) {
    transfer.target_qp = *dead;
    return CompletionStatus::kUnrespRemote;
  }
  // A wrong QKey: what hardware answers is not public.
  if (qp == nullptr || !qp->CanReceive() || qp->type != transfer.qp->type ||
      qp->qkey != request.qkey) {
    return CompletionStatus::kBadDestQpn;
  }
  transfer.target_qp = qp->handle;
  transfer.target_resets = qp->resets;
  return CompletionStatus::kOk;
}

CompletionStatus MapRemoteMemory(Transfer& transfer) {
  const SendRequest& request = transfer.request;
  const DeviceState& target = *transfer.target;
  const QueuePair& qp = *target.qps.FindByHandle(transfer.target_qp);
  if (!target.ahs.FindByGid(qp.pd, transfer.initiator->gid)) return CompletionStatus::kUnknownPeer;
  if (transfer.length == 0) return CompletionStatus::kOk;
  const bool read = request.op == SendOp::kRdmaRead;
  const std::shared_ptr<Mr>& mr = target.mrs.FindRemote(request.rkey);
  if (!mr || mr->pd != qp.pd || (mr->permissions & (read ? kRemoteRead : kRemoteWrite)) == 0 ||
      !mr->Contains(request.remote_address, transfer.length)) {
    return CompletionStatus::kBadAddress;
  }
  mr->AppendRuns(request.remote_address, transfer.length,
                 read ? transfer.source : transfer.destination);
  transfer.remote_regions.push_back(mr);
  return CompletionStatus::kOk;
}

Reception ReceiveSend(Transfer& transfer) {
  DeviceState& target = *transfer.target;
  QueuePair* qp = LiveTargetQp(transfer);
  if (qp == nullptr) {
    transfer.status = StatusOfLostTarget(transfer);
    return Reception::kRefused;
  }
  std::optional<ReceiveRequest> receive = qp->TakeReceive(target.model.max_rq_sge);
  if (!receive) return Reception::kNotReady;
  const bool datagram = qp->type == QpType::kUd;
  transfer.copy_length = transfer.length + (datagram ? kGrhBytes : 0);
  transfer.receive = std::move(*receive);
  transfer.arrived = true;
  if (transfer.receive.malformed) {
    transfer.receive_status = CompletionStatus::kQpInternalError;
    transfer.status = CompletionStatus::kBadStatus;
  } else if (TotalLength(transfer.receive.entries) < transfer.copy_length) {
    transfer.receive_status = CompletionStatus::kLocalBadLength;
    transfer.status = CompletionStatus::kRemoteBadLength;
  } else if (!AppendLocalMemory(target.mrs, qp->pd, transfer.receive.entries, kLocalWrite,
                                transfer.destination, transfer.remote_regions)) {
    transfer.receive_status = CompletionStatus::kInvalidLkey;
    transfer.status = CompletionStatus::kBadStatus;
  }
  if (transfer.status != CompletionStatus::kOk) return Reception::kRefused;
  if (datagram) {
    transfer.grh = MakeGrh(transfer.initiator->gid, target.gid, transfer.length);
    transfer.source.insert(transfer.source.begin(), {transfer.grh.data(), kGrhBytes});
  }
  return Reception::kAccepted;
}

void CompleteReceive(const Transfer& transfer) {
  const QueuePair* qp = SameTargetQp(transfer);
  if (qp == nullptr) return;
  Completion completion = ReceiveCompletion(transfer, *qp);
  completion.req_id = transfer.receive.req_id;
  completion.length = static_cast<uint32_t>(transfer.copy_length);
  completion.status = transfer.receive_status;
  if (qp->state == QpState::kErr) {
    completion.status = CompletionStatus::kFlushed;
  } else if (completion.status == CompletionStatus::kOk &&
             transfer.status != CompletionStatus::kOk) {
    completion.status = CompletionStatus::kAbort;  // the sender failed half-way
  }
  Complete(transfer, *qp, completion);
}

Reception ReceiveImmediate(Transfer& transfer) {
  QueuePair* qp = LiveTargetQp(transfer);
  if (qp == nullptr) {
    transfer.status = StatusOfLostTarget(transfer);
    return Reception::kRefused;
  }
  Completion completion = ReceiveCompletion(transfer, *qp);
  completion.length = static_cast<uint32_t>(transfer.length);
  if (qp->unsolicited_write_recv) {
    completion.unsolicited = true;
  } else {
    const std::optional<ReceiveRequest> receive =
        qp->TakeReceive(transfer.target->model.max_rq_sge);
    if (!receive) return Reception::kNotReady;
    completion.req_id = receive->req_id;
  }
  Complete(transfer, *qp, completion);
  return Reception::kAccepted;
}

void FlushReceiveQueue(DeviceState& device, QueuePair& qp) {
  while (const std::optional<ReceiveRequest> receive = qp.TakeReceive(device.model.max_rq_sge)) {
    Completion completion;
    completion.req_id = receive->req_id;
    completion.status = CompletionStatus::kFlushed;
    completion.queue = QueueType::kReceive;
    completion.qp_num = qp.number;
    device.Complete(qp.recv_cq, qp.recv_sub_cq, completion);
  }
}

}  // namespace railgauge::efa
