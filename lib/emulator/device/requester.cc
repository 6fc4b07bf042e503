#include "lib/emulator/device/requester.h"

#include <algorithm>
#include <span>

#include "lib/base/result.h"
#include "lib/emulator/device/local_memory.h"
#include "lib/emulator/device/responder.h"
#include "lib/emulator/device/wqe.h"

namespace railgauge::efa {
namespace {

// How long a sender waits before it tries again where the receiver had no request; the real time is
// not public.
constexpr SimTime kRnrInterval = ToSimTime(Nanoseconds(100'000));

std::span<const ScatterEntry> EntriesOf(const SendRequest& request) {
  return std::span(request.entries).first(request.entry_count);
}

bool IsRdma(const SendRequest& request) { return request.op != SendOp::kSend; }

bool IsSupported(const DeviceState& device, const QueuePair& qp, SendOp op) {
  switch (op) {
    case SendOp::kSend:
      return true;
    case SendOp::kRdmaRead:
      return qp.type == QpType::kSrd && device.model.rdma_read;
    case SendOp::kRdmaWrite:
      return qp.type == QpType::kSrd && device.model.rdma_write;
  }
  return false;
}

// Length and local memory of the request.
CompletionStatus MapLocalMemory(Transfer& transfer) {
  const DeviceState& device = *transfer.initiator;
  SendRequest& request = transfer.request;
  if (request.is_inline) {
    if (request.inline_length > device.model.inline_buf_size) {
      return CompletionStatus::kLocalBadLength;
    }
    transfer.length = request.inline_length;
    if (transfer.length > 0) {
      transfer.source.push_back({request.inline_data.data(), transfer.length});
    }
    return CompletionStatus::kOk;
  }
  const auto entries = EntriesOf(request);
  transfer.length = TotalLength(entries);
  const uint64_t limit = IsRdma(request) ? device.model.max_rdma_size : device.model.mtu;
  if (transfer.length > limit || (IsRdma(request) && request.remote_length != transfer.length)) {
    return CompletionStatus::kLocalBadLength;
  }
  const bool read = request.op == SendOp::kRdmaRead;
  return AppendLocalMemory(device.mrs, transfer.qp->pd, entries, read ? kLocalWrite : 0u,
                           read ? transfer.destination : transfer.source, transfer.local_regions)
             ? CompletionStatus::kOk
             : CompletionStatus::kInvalidLkey;
}

// Errors that the initiator finds by itself; the route is known afterwards.
CompletionStatus PrepareLocally(Transfer& transfer) {
  const DeviceState& device = *transfer.initiator;
  const SendRequest& request = transfer.request;
  if (request.status != CompletionStatus::kOk) return request.status;
  if (!IsSupported(device, *transfer.qp, request.op)) return CompletionStatus::kUnsupportedOp;
  const Gid* gid = device.ahs.Find(transfer.qp->pd, request.ah);
  if (gid == nullptr) return CompletionStatus::kInvalidAh;
  const CompletionStatus status = MapLocalMemory(transfer);
  transfer.target = device.fabric.FindDevice(*gid);
  return status;
}

// Errors that come back from the network.
CompletionStatus PrepareRemotely(Transfer& transfer, SimTime now) {
  if (transfer.target == nullptr) return CompletionStatus::kUnreachRemote;
  if (transfer.target->faults.IsSilent(now)) return CompletionStatus::kUnrespRemote;
  const CompletionStatus status = FindTargetQp(transfer);
  if (status != CompletionStatus::kOk || !IsRdma(transfer.request)) return status;
  return MapRemoteMemory(transfer);
}

// Of a transfer that touches no memory at that end.
const Path kNoPath;

const Path& LocalPath(const Transfer& transfer) {
  const auto* paths = PathsOfFirst(transfer.initiator->mrs, EntriesOf(transfer.request));
  if (paths == nullptr) return kNoPath;
  return transfer.request.op == SendOp::kRdmaRead ? paths->to_memory : paths->from_memory;
}

const Path& RemotePath(const Transfer& transfer) {
  if (transfer.remote_regions.empty()) return kNoPath;
  if (!IsRdma(transfer.request)) {
    const auto* paths = PathsOfFirst(transfer.target->mrs, transfer.receive.entries);
    return paths == nullptr ? kNoPath : paths->to_memory;
  }
  const PathsOfPlace& paths =
      transfer.remote_regions.front()->PathsAt(transfer.request.remote_address);
  return transfer.request.op == SendOp::kRdmaRead ? paths.from_memory : paths.to_memory;
}

// What the transfer's QP moves along these two. Either may be kNoPath.
Flow* FlowOf(Transfer& transfer, const Path& local, const Path& remote) {
  auto& flows = transfer.qp->flows;
  const auto found = std::find_if(flows.begin(), flows.end(), [&](const auto& flow) {
    return flow.local == &local && flow.remote == &remote;
  });
  if (found != flows.end()) {
    std::swap(*found, flows.front());
    return flows.front().flow;
  }
  std::vector<uint32_t> resources = local.resources;
  resources.insert(resources.end(), remote.resources.begin(), remote.resources.end());
  Flow* flow = transfer.initiator->fabric.engine.network().AddFlow(resources);
  flows.push_back({&local, &remote, flow});
  return flow;
}

// A datagram that gets lost: for its sender it was sent.
void Drop(Transfer& transfer) {
  transfer.dropped = true;
  transfer.status = CompletionStatus::kOk;
}

// The bytes that cross the path for the payload: more where packets are sent again, which the
// counters of both ends tell.
double BytesOnPath(const Transfer& transfer, SimTime now) {
  const bool read = transfer.request.op == SendOp::kRdmaRead;
  DeviceState& sender = read ? *transfer.target : *transfer.initiator;
  DeviceState& receiver = read ? *transfer.initiator : *transfer.target;
  const uint64_t mtu = std::max(sender.model.mtu, 1u);
  const uint64_t packets = (transfer.length + mtu - 1) / mtu;
  const uint64_t dropped = receiver.faults.Dropped(packets, now);
  const uint64_t again = dropped + sender.faults.Retransmitted(packets, now);
  const uint64_t bytes = packets == 0 ? 0 : transfer.length * again / packets;
  receiver.stats.rx_drops += dropped;
  sender.stats.retrans_pkts += again;
  sender.stats.retrans_bytes += bytes;
  return static_cast<double>(transfer.length + bytes);
}

void StartRequest(DeviceState& device, QueuePair& qp, SimTime now) {
  Engine& engine = device.fabric.engine;
  const SimTime base_latency = device.node.base_latency;
  Transfer& transfer = engine.Start(device.in_flight);
  transfer.initiator = &device;
  transfer.qp = &qp;
  transfer.position = qp.in_flight.size();
  qp.in_flight.push_back(&transfer);
  transfer.request = DecodeSend(qp.sq.Peek<efa_io_tx_wqe>(0));
  qp.sq.Pop(1);
  transfer.rnr_retries = qp.rnr_retry;

  if (device.faults.IsSilent(now)) return engine.Hold(transfer);  // it ends with its queue pair
  transfer.status = PrepareLocally(transfer);
  if (transfer.status != CompletionStatus::kOk) return engine.Schedule(transfer, now);
  transfer.status = PrepareRemotely(transfer, now);
  if (transfer.status != CompletionStatus::kOk) {
    if (qp.type == QpType::kUd) Drop(transfer);
    return engine.Schedule(transfer, now + base_latency);
  }
  const SimTime posted = qp.catch_up.PostedAt(now, engine.Overdue(now));
  const MessageNoise::Effect noise = device.noise.Of(device.messages++);
  const double bytes = BytesOnPath(transfer, now) * noise.occupancy;
  const SimTime latency = base_latency + noise.latency;
  if (!IsRdma(transfer.request)) {
    // The receiver's half begins when it is known where the payload goes.
    Flow* flow = FlowOf(transfer, LocalPath(transfer), kNoPath);
    return engine.Move(transfer, {flow, bytes, posted, latency});
  }
  Flow* flow = FlowOf(transfer, LocalPath(transfer), RemotePath(transfer));
  transfer.copy_length = transfer.length;
  engine.MoveAndCopy(transfer, {flow, bytes, posted, latency});
}

void CountDrop(const Transfer& transfer) {
  DeviceStats& local = transfer.initiator->stats;
  local.tx_bytes += transfer.length;
  ++local.tx_pkts;
  ++local.send_wrs;
  local.send_bytes += transfer.length;
  if (transfer.target != nullptr) ++transfer.target->stats.rx_drops;
}

void CountSuccess(const Transfer& transfer, SimTime now) {
  if (transfer.dropped) return CountDrop(transfer);
  DeviceStats& local = transfer.initiator->stats;
  DeviceStats& remote = transfer.target->stats;
  const uint64_t bytes = transfer.length;
  const uint64_t mtu = std::max(transfer.initiator->model.mtu, 1u);
  const uint64_t packets = std::max<uint64_t>((bytes + mtu - 1) / mtu, 1);
  const bool read = transfer.request.op == SendOp::kRdmaRead;
  DeviceStats& from = read ? remote : local;
  DeviceStats& to = read ? local : remote;
  from.tx_bytes += bytes;
  from.tx_pkts += packets;
  to.rx_bytes += bytes;
  to.rx_pkts += packets;
  const bool as_send = transfer.initiator->faults.CountsAsSend(now);
  const SendOp counted = as_send ? SendOp::kSend : transfer.request.op;
  switch (counted) {
    case SendOp::kSend:
      ++local.send_wrs;
      local.send_bytes += bytes;
      ++remote.recv_wrs;
      remote.recv_bytes += bytes;
      break;
    case SendOp::kRdmaRead:
      ++local.rdma_read_wrs;
      local.rdma_read_bytes += bytes;
      remote.rdma_read_resp_bytes += bytes;
      break;
    case SendOp::kRdmaWrite:
      ++local.rdma_write_wrs;
      local.rdma_write_bytes += bytes;
      remote.rdma_write_recv_bytes += bytes;
      break;
  }
}

void CountFailure(const Transfer& transfer) {
  DeviceStats& stats = transfer.initiator->stats;
  if (transfer.request.op == SendOp::kRdmaRead) ++stats.rdma_read_wr_err;
  if (transfer.request.op == SendOp::kRdmaWrite) ++stats.rdma_write_wr_err;
  if (transfer.status == CompletionStatus::kUnreachRemote ||
      transfer.status == CompletionStatus::kUnrespRemote) {
    ++stats.retrans_timeout_events;
    ++stats.unresponsive_remote_events;
  }
}

Completion SendCompletion(const QueuePair& qp, const SendRequest& request,
                          CompletionStatus status) {
  Completion completion;
  completion.req_id = request.req_id;
  completion.status = status;
  completion.op = request.op;
  completion.qp_num = qp.number;
  return completion;
}

// Whether the peer must have answered for the request to end so.
bool IsAnswer(CompletionStatus status) {
  switch (status) {
    case CompletionStatus::kOk:
    case CompletionStatus::kBadAddress:
    case CompletionStatus::kAbort:
    case CompletionStatus::kRnr:
    case CompletionStatus::kRemoteBadLength:
    case CompletionStatus::kBadStatus:
    case CompletionStatus::kUnknownPeer:
      return true;
    default:
      return false;
  }
}

// Remembers who answered; without an answer ever the peer is unreachable, not unresponsive.
void NoteAnswer(Transfer& transfer) {
  HeardPeers& heard = transfer.qp->heard;
  if (transfer.status == CompletionStatus::kUnrespRemote) {
    if (!heard.Has(transfer.target, transfer.target_qp)) {
      transfer.status = CompletionStatus::kUnreachRemote;
    }
  } else if (IsAnswer(transfer.status) && !transfer.dropped) {
    heard.Add(transfer.target, transfer.target_qp);
  }
}

void Detach(Transfer& transfer) {
  std::vector<Transfer*>& in_flight = transfer.qp->in_flight;
  in_flight[transfer.position] = in_flight.back();
  in_flight[transfer.position]->position = transfer.position;
  in_flight.pop_back();
}

// The sender ends half-way: the receiver's request is used up and would never complete.
void AbandonReceive(Transfer& transfer) {
  if (!transfer.arrived) return;
  transfer.receive_status = CompletionStatus::kAbort;
  CompleteReceive(transfer);
}

// The end of every transfer whose QP lives.
void CompleteRequest(Transfer& transfer, SimTime now) {
  DeviceState& device = *transfer.initiator;
  QueuePair& qp = *transfer.qp;
  NoteAnswer(transfer);
  if (transfer.status == CompletionStatus::kOk) {
    if (const auto error = device.faults.CompletionError(now)) transfer.status = *error;
  }
  const bool ok = transfer.status == CompletionStatus::kOk;
  if (ok) {
    CountSuccess(transfer, now);
    if (IsRdma(transfer.request)) qp.catch_up.OnCompleted(transfer.scheduled, now);
  } else {
    CountFailure(transfer);
  }
  if (!ok || transfer.request.completion_requested) {
    device.Complete(qp.send_cq, qp.send_sub_cq,
                    SendCompletion(qp, transfer.request, transfer.status));
  }
  Detach(transfer);
  device.fabric.engine.Finish(transfer);
  ProcessSendQueue(device, qp, now);
}

// No receive request was there. UD drops; SRD tries again as often as the QP says.
void OnReceiverNotReady(Transfer& transfer, SimTime now) {
  if (transfer.qp->type == QpType::kUd) {
    Drop(transfer);
    return CompleteRequest(transfer, now);
  }
  if (transfer.rnr_retries == 0) {
    transfer.status = CompletionStatus::kRnr;
    return CompleteRequest(transfer, now);
  }
  if (transfer.rnr_retries != QueuePair::kInfiniteRnrRetry) --transfer.rnr_retries;
  transfer.initiator->fabric.engine.Schedule(transfer, now + kRnrInterval);
}

// The receiver pretends to have no request. No counter of EFA tells of it but, assumed, that the
// payload is sent again.
bool IsRefusedByFault(const Transfer& transfer, SimTime now) {
  if (!transfer.target->faults.RefusesReceive(now)) return false;
  DeviceStats& stats = transfer.initiator->stats;
  ++stats.retrans_pkts;
  stats.retrans_bytes += transfer.length;
  return true;
}

void OnSendArrives(Transfer& transfer, SimTime now) {
  if (transfer.target->faults.IsSilent(now)) {
    transfer.status = CompletionStatus::kUnrespRemote;
    return CompleteRequest(transfer, now);
  }
  if (IsRefusedByFault(transfer, now)) return OnReceiverNotReady(transfer, now);
  switch (ReceiveSend(transfer)) {
    case Reception::kNotReady:
      return OnReceiverNotReady(transfer, now);
    case Reception::kRefused:
      if (transfer.arrived) CompleteReceive(transfer);
      if (transfer.qp->type == QpType::kUd) Drop(transfer);
      return CompleteRequest(transfer, now);
    case Reception::kAccepted:
      return transfer.initiator->fabric.engine.MoveAndCopy(
          transfer, {FlowOf(transfer, kNoPath, RemotePath(transfer)),
                     static_cast<double>(transfer.length), transfer.due, 0});
  }
}

}  // namespace

void ProcessSendQueue(DeviceState& device, QueuePair& qp, SimTime now) {
  if (qp.state != QpState::kRts) return;
  while (qp.sq.pending() > 0 && qp.in_flight.size() < qp.sq.depth()) {
    StartRequest(device, qp, now);
  }
}

void DropSendQueue(DeviceState& device, QueuePair& qp) {
  for (Transfer* transfer : qp.in_flight) {
    AbandonReceive(*transfer);
    device.fabric.engine.Cancel(*transfer);
  }
  qp.in_flight.clear();
}

void RemoveFlows(DeviceState& device, QueuePair& qp) {
  for (const QueuePair::PathFlow& flow : qp.flows) {
    device.fabric.engine.network().RemoveFlow(flow.flow);
  }
  qp.flows.clear();
}

void FlushSendQueue(DeviceState& device, QueuePair& qp) {
  std::sort(qp.in_flight.begin(), qp.in_flight.end(),
            [](const Transfer* a, const Transfer* b) { return a->sequence < b->sequence; });
  const auto flush = [&](const SendRequest& request) {
    device.Complete(qp.send_cq, qp.send_sub_cq,
                    SendCompletion(qp, request, CompletionStatus::kFlushed));
  };
  for (const Transfer* transfer : qp.in_flight) flush(transfer->request);
  DropSendQueue(device, qp);
  while (qp.sq.pending() > 0) {
    flush(DecodeSend(qp.sq.Peek<efa_io_tx_wqe>(0)));
    qp.sq.Pop(1);
  }
}

void Protocol::OnDue(Transfer& transfer, SimTime now) {
  const bool send = transfer.request.op == SendOp::kSend;
  // Either can be seen between the call that ends a QP and the end of the copies for which that
  // call waits.
  if (transfer.qp->state == QpState::kErr) transfer.status = CompletionStatus::kFlushed;
  if (transfer.qp->state == QpState::kReset) {
    AbandonReceive(transfer);
    Detach(transfer);
    return transfer.initiator->fabric.engine.Finish(transfer);
  }
  if (transfer.qp->state != QpState::kErr && transfer.initiator->faults.IsSilent(now)) {
    return transfer.initiator->fabric.engine.Hold(transfer);
  }
  if (send && !transfer.arrived && !transfer.dropped && transfer.status == CompletionStatus::kOk) {
    return OnSendArrives(transfer, now);
  }
  if (send && transfer.arrived) CompleteReceive(transfer);
  if (!send && transfer.request.has_imm && transfer.status == CompletionStatus::kOk &&
      ReceiveImmediate(transfer) == Reception::kNotReady) {
    return OnReceiverNotReady(transfer, now);
  }
  CompleteRequest(transfer, now);
}

bool Protocol::MayCopy(Transfer& transfer) {
  const auto dead = [](const std::shared_ptr<Mr>& mr) { return !mr->alive; };
  const auto any_dead = [&](const std::vector<std::shared_ptr<Mr>>& regions) {
    return std::any_of(regions.begin(), regions.end(), dead);
  };
  if (transfer.qp->state != QpState::kRts && transfer.qp->state != QpState::kSqd) {
    transfer.status = CompletionStatus::kFlushed;
  } else if (LiveTargetQp(transfer) == nullptr) {
    transfer.status = StatusOfLostTarget(transfer);
  } else if (any_dead(transfer.local_regions)) {
    transfer.status = CompletionStatus::kInvalidLkey;
  } else if (any_dead(transfer.remote_regions)) {
    transfer.status = CompletionStatus::kBadAddress;
  }
  return transfer.status == CompletionStatus::kOk;
}

}  // namespace railgauge::efa
