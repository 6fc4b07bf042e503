#include "lib/emulator/device/reference_model.h"

#include <fmt/core.h>

#include <algorithm>

namespace railgauge::efa {
namespace {

using Status = CompletionStatus;

constexpr uint64_t kMtu = 8928;  // MakeTestMachine

std::string Describe(const ModelRequest& request) {
  return fmt::format("request {} (op {}, {} bytes, imm {})", request.serial,
                     static_cast<int>(request.op), request.length, request.has_imm);
}

std::string Describe(const ModelQp& qp) {
  return fmt::format("QP {:#x} of {}", qp.writer->number(), qp.nic.ToString());
}

// Whether the peer must have been alive for a request to end so.
bool IsAnswer(Status status) {
  return std::set{Status::kOk,  Status::kBadAddress,      Status::kAbort,    Status::kUnknownPeer,
                  Status::kRnr, Status::kRemoteBadLength, Status::kBadStatus}
             .count(status) > 0;
}

bool InFlight(const ModelRequest& request) {
  return request.started && !request.sent && !request.dropped;
}

}  // namespace

std::shared_ptr<ModelQp> ReferenceModel::FindQp(const PciAddress& nic, uint16_t number) const {
  for (const auto& process : processes) {
    if (process->nic != nic) continue;
    for (const auto& qp : process->qps) {
      if (qp->writer->number() == number) return qp;
    }
  }
  return nullptr;
}

std::shared_ptr<ModelMr> ReferenceModel::FindMr(const PciAddress& nic, uint32_t key,
                                                bool remote) const {
  for (const auto& process : processes) {
    if (process->nic != nic) continue;
    for (const auto& mr : process->mrs) {
      if (mr->alive && (remote ? mr->keys.rkey : mr->keys.lkey) == key) return mr;
    }
  }
  return nullptr;
}

const ModelAh* ReferenceModel::FindAh(const PciAddress& nic, const ModelPd& pd,
                                      uint16_t number) const {
  for (const auto& process : processes) {
    if (process->nic != nic) continue;
    for (const auto& ah : process->ahs) {
      if (ah->number == number && ah->pd.get() == &pd) return ah.get();
    }
  }
  return nullptr;
}

bool ReferenceModel::KnowsPeer(const PciAddress& nic, const ModelPd& pd,
                               const PciAddress& peer) const {
  for (const auto& process : processes) {
    if (process->nic != nic) continue;
    for (const auto& ah : process->ahs) {
      if (ah->peer == peer && ah->pd.get() == &pd) return true;
    }
  }
  return false;
}

Status ReferenceModel::FateOf(ModelRequest& request) const {
  const ModelQp& qp = *request.initiator;
  if (request.malformed) return Status::kQpInternalError;
  const ModelAh* ah = FindAh(qp.nic, *qp.pd, request.ah);
  if (ah == nullptr) return Status::kInvalidAh;
  if (request.op == SendOp::kSend && request.length > kMtu) return Status::kLocalBadLength;
  if (!request.is_inline && request.length > 0) {
    const std::shared_ptr<ModelMr> mr = FindMr(qp.nic, request.lkey, false);
    const bool read_only = mr != nullptr && (mr->permissions & kLocalWrite) == 0;
    if (mr == nullptr || mr->pd != qp.pd || (request.op == SendOp::kRdmaRead && read_only) ||
        !mr->Holds(request.local_address, request.length)) {
      return Status::kInvalidLkey;
    }
    request.local_mr = mr;
  }
  return RemoteFateOf(request, ah->peer);
}

Status ReferenceModel::RemoteFateOf(ModelRequest& request, const PciAddress& nic) const {
  if (nic != kNicA && nic != kNicB && nic != kNicC) return Status::kUnreachRemote;
  if (const auto dead = dead_.find({nic, request.dest_qp_num}); dead != dead_.end()) {
    return FateWithDead(request, nic, dead->second);
  }
  const std::shared_ptr<ModelQp> target = FindQp(nic, request.dest_qp_num);
  if (target == nullptr || !target->Receives() || request.qkey != TestQp::kQkey) {
    return Status::kBadDestQpn;
  }
  request.target = target;
  if (request.op == SendOp::kSend) return Status::kOk;
  if (!KnowsPeer(nic, *target->pd, request.initiator->nic)) return Status::kUnknownPeer;
  if (request.length == 0) return Status::kOk;
  const std::shared_ptr<ModelMr> mr = FindMr(nic, request.rkey, true);
  const uint32_t needed = request.op == SendOp::kRdmaRead ? kRemoteRead : kRemoteWrite;
  if (mr == nullptr || mr->pd != target->pd || (mr->permissions & needed) == 0 ||
      !mr->Holds(request.remote_address, request.length)) {
    return Status::kBadAddress;
  }
  request.remote_mr = mr;
  return Status::kOk;
}

// Unresponsive if it ever answered this queue pair, else unreachable; where an answer may still be
// under way, either.
Status ReferenceModel::FateWithDead(ModelRequest& request, const PciAddress& nic,
                                    uint32_t qp_handle) const {
  const ModelQp& initiator = *request.initiator;
  if (initiator.heard.count({nic, qp_handle}) > 0) return Status::kUnrespRemote;
  for (const auto& [id, other] : initiator.requests) {
    if (InFlight(*other) && other->target != nullptr &&
        other->target->writer->handle() == qp_handle) {
      request.allowed.insert(Status::kUnrespRemote);
    }
  }
  return Status::kUnreachRemote;
}

void ReferenceModel::Posted(const std::shared_ptr<ModelRequest>& request) {
  ModelQp& qp = *request->initiator;
  request->allowed = {Status::kFlushed};  // until it starts
  all_[request->serial] = request;
  qp.requests[request->req_id] = request;
  qp.waiting.push_back(request);
  ++qp.sq_posted;
  ++qp.send_cq->promised;
}

void ReferenceModel::StartWaiting(const std::shared_ptr<ModelQp>& qp) {
  if (qp->state != QpState::kRts) return;
  for (const auto& request : qp->waiting) Start(request);
  qp->waiting.clear();
}

void ReferenceModel::Start(const std::shared_ptr<ModelRequest>& request) {
  ModelRequest& r = *request;
  r.started = true;
  r.allowed.clear();
  const Status fate = FateOf(r);
  r.allowed.insert(fate);
  r.fails_at_once = fate != Status::kOk;
  if (r.fails_at_once) return;
  ModelQp& target = *r.target;
  r.needs_receive = r.op == SendOp::kSend || (r.has_imm && !target.unsolicited);
  if (!r.needs_receive) return;
  ++target.takers;
  if (target.receives.size() < target.takers) {
    // Somebody will find none, and who comes first is open.
    for (const auto& [serial, other] : all_) {
      if (other->needs_receive && other->target == r.target) other->allowed.insert(Status::kRnr);
    }
  }
  if (r.op != SendOp::kSend) return;
  // Which receive it meets is open; that both ends say the same is checked later.
  r.allowed.insert({Status::kRemoteBadLength, Status::kBadStatus});
}

void ReferenceModel::MrGoes(ModelMr& mr) {
  mr.alive = false;
  for (const auto& [serial, request] : all_) {
    if (!InFlight(*request)) continue;
    if (request->local_mr.get() == &mr) request->allowed.insert(Status::kInvalidLkey);
    if (request->remote_mr.get() == &mr) request->allowed.insert(Status::kBadAddress);
    if (request->op != SendOp::kSend || request->target == nullptr) continue;
    for (const auto& [id, receive] : request->target->receives) {
      if (receive.mr.get() == &mr) request->allowed.insert(Status::kBadAddress);
    }
  }
}

void ReferenceModel::QpStopsReceiving(const ModelQp& qp) {
  for (const auto& [serial, request] : all_) {
    if (!InFlight(*request) || request->target.get() != &qp) continue;
    request->allowed.insert({Status::kBadDestQpn, Status::kRnr});
    request->disturbed = true;
  }
}

void ReferenceModel::QpDies(const ModelQp& qp) {
  dead_[{qp.nic, qp.writer->number()}] = qp.writer->handle();
  for (const auto& [serial, request] : all_) {
    if (!InFlight(*request) || request->target.get() != &qp) continue;
    request->allowed.insert({Status::kUnrespRemote, Status::kUnreachRemote, Status::kRnr});
    request->disturbed = true;
  }
}

void ReferenceModel::QpFails(ModelQp& qp) {
  QpStopsReceiving(qp);
  for (const auto& [id, request] : qp.requests) request->allowed.insert(Status::kFlushed);
  qp.waiting.clear();
}

void ReferenceModel::QpWasEmptied(ModelQp& qp) {
  for (const auto& [id, request] : qp.requests) {
    request->dropped = true;
    CheckMemory(*request);
    request->source = request->destination = nullptr;
    if (request->promised_cq) --request->promised_cq->promised;
    request->promised_cq = nullptr;
  }
  qp.send_cq->promised -= static_cast<uint32_t>(qp.requests.size());
  qp.recv_cq->promised -= static_cast<uint32_t>(qp.receives.size());
  qp.requests.clear();
  qp.waiting.clear();
  qp.receives.clear();
  qp.sq_laps += qp.sq_posted / qp.sq_depth;
  qp.rq_laps += qp.rq_posted / qp.rq_depth;
  qp.sq_posted = qp.rq_posted = 0;
}

void ReferenceModel::TakeEvents() {
  for (const auto& [nic, number] : rig_.events) {
    bool known = false;
    for (const auto& process : processes) {
      if (process->nic != nic) continue;
      for (const auto& cq : process->cqs) {
        if (cq->reader->number() != number) continue;
        known = true;
        ++cq->events_seen;
        cq->reader->Acknowledge();
      }
    }
    if (!known) Fail(fmt::format("an event of CQ {}, which does not exist", number));
  }
  rig_.events.clear();
}

void ReferenceModel::Drain() {
  for (const auto& process : processes) {
    for (const auto& cq : process->cqs) DrainCq(*cq, process->nic);
  }
}

void ReferenceModel::DrainCq(ModelCq& cq, const PciAddress& nic) {
  bool any = false;
  while (const std::optional<TestCompletion> completion = cq.reader->Poll()) {
    any = true;
    ++completions_;
    if (cq.armed) {
      cq.armed = false;
      ++cq.events_due;
    }
    const std::shared_ptr<ModelQp> qp = FindQp(nic, completion->common.qp_num);
    if (qp == nullptr) {
      Fail(fmt::format("a completion of QP {:#x}, which does not exist",
                       uint16_t{completion->common.qp_num}));
    } else if (completion->is_receive()) {
      OnReceived(*qp, *completion);
    } else {
      OnSent(*qp, *completion);
    }
  }
  if (any && cq.with_events) cq.reader->ReportConsumed();
}

void ReferenceModel::OnSent(ModelQp& qp, const TestCompletion& completion) {
  const auto found = qp.requests.find(completion.common.req_id);
  if (found == qp.requests.end()) {
    return Fail(fmt::format("{}: a completion of request id {}, which is not there", Describe(qp),
                            uint16_t{completion.common.req_id}));
  }
  const std::shared_ptr<ModelRequest> request = found->second;
  qp.requests.erase(found);
  --qp.send_cq->promised;
  request->sent = completion.status();
  if (request->allowed.count(completion.status()) == 0) {
    Fail(fmt::format("{}: status {}, which nothing explains", Describe(*request),
                     int{completion.common.status}));
  }
  if (completion.op() != static_cast<uint32_t>(request->op)) {
    Fail(Describe(*request) + ": the completion is of another operation");
  }
  CheckMemory(*request);
  request->source = request->destination = nullptr;
  if (request->target != nullptr && IsAnswer(completion.status())) {
    qp.heard.insert({request->target->nic, request->target->writer->handle()});
  }
  if (completion.status() == Status::kOk) {
    Count(*request);
  } else {
    ++failed_;
  }
}

ModelRequest* ReferenceModel::RequestOf(ModelQp& qp, const TestCompletion& completion) {
  const auto found = all_.find(completion.entry.base.imm);
  if (GetField(completion.common.flags, kCompletionHasImm) == 0 || found == all_.end() ||
      found->second->target.get() != &qp ||
      found->second->initiator->writer->number() != completion.entry.base.src_qp_num) {
    Fail(Describe(qp) + ": received something that nobody sent to it");
    return nullptr;
  }
  if (found->second->received) Fail(Describe(*found->second) + ": received twice");
  found->second->received = completion.status();
  return found->second.get();
}

void ReferenceModel::OnReceived(ModelQp& qp, const TestCompletion& completion) {
  if (GetField(completion.common.flags, kCompletionUnsolicited) != 0) {
    ModelRequest* request = RequestOf(qp, completion);
    if (request == nullptr) return;
    if (!qp.unsolicited || completion.status() != Status::kOk ||
        completion.byte_length() != request->length) {
      Fail(Describe(*request) + ": a wrong completion without a receive request");
    }
    if (request->promised_cq) --request->promised_cq->promised;
    request->promised_cq = nullptr;
    return;
  }
  const auto found = qp.receives.find(completion.common.req_id);
  if (found == qp.receives.end()) {
    return Fail(fmt::format("{}: a completion of receive id {}, which is not there", Describe(qp),
                            uint16_t{completion.common.req_id}));
  }
  const ModelReceive receive = found->second;
  qp.receives.erase(found);
  --qp.recv_cq->promised;
  if (completion.status() == Status::kFlushed) {
    if (qp.state != QpState::kErr) Fail(Describe(qp) + ": a receive was flushed without reason");
    return;
  }
  CheckReceived(qp, receive, completion);
}

void ReferenceModel::CheckReceived(ModelQp& qp, const ModelReceive& receive,
                                   const TestCompletion& completion) {
  const ModelRequest* request = RequestOf(qp, completion);
  if (request == nullptr) return;
  if (qp.takers > 0) --qp.takers;
  const bool send = request->op == SendOp::kSend;
  const auto check = [&](bool good, const char* what) {
    if (!good) Fail(Describe(*request) + ": " + what);
  };
  switch (completion.status()) {
    case Status::kOk:
      check(completion.byte_length() == request->length, "received with another length");
      check(!send || request->length <= receive.length, "received by too short a request");
      check(!send || !receive.bad_key, "received by a request without memory");
      check(receive.range->HoldsMessage(request->serial, send ? request->length : 0),
            "the received data is wrong");
      break;
    case Status::kLocalBadLength:
      check(send && request->length > receive.length, "the receiver is long enough");
      check(receive.range->IsUntouched(), "data that the receiver refused was written");
      break;
    case Status::kInvalidLkey:
      check(send && (receive.bad_key || !receive.mr->alive), "the receiver's key is good");
      check(receive.range->IsUntouched(), "data was written without a key");
      break;
    case Status::kAbort:
      check(send && request->sent != Status::kOk, "received as aborted, though it was sent");
      check(receive.range->HoldsPartOf(request->serial, request->length),
            "something else was received");
      break;
    default:
      check(false, "received with a status that nothing explains");
  }
}

void ReferenceModel::CheckMemory(const ModelRequest& request) {
  if (request.source != nullptr && !request.source->released() &&
      !request.source->HoldsMessage(request.serial, request.length)) {
    Fail(Describe(request) + ": its source was written to");
  }
  if (request.destination == nullptr || request.destination->released()) return;
  const MessageRange& destination = *request.destination;
  const bool right = request.sent == Status::kOk
                         ? destination.HoldsMessage(request.serial, request.length)
                     : !request.started || request.fails_at_once
                         ? destination.IsUntouched()
                         : destination.HoldsPartOf(request.serial, request.length);
  if (!right) {
    Fail(fmt::format("{}: wrong data at its destination, status {}", Describe(request),
                     request.sent ? static_cast<int>(*request.sent) : -1));
  }
}

void ReferenceModel::Count(const ModelRequest& request) {
  Amounts& local = amounts_[request.initiator->nic];
  Amounts& remote = amounts_[request.target->nic];
  switch (request.op) {
    case SendOp::kSend:
      ++local.send_wrs, local.send_bytes += request.length;
      ++remote.recv_wrs, remote.recv_bytes += request.length;
      break;
    case SendOp::kRdmaRead:
      ++local.read_wrs, local.read_bytes += request.length;
      remote.read_resp_bytes += request.length;
      break;
    case SendOp::kRdmaWrite:
      ++local.write_wrs, local.write_bytes += request.length;
      remote.write_recv_bytes += request.length;
      break;
  }
}

// What both ends were told of one request, with nothing in flight any more.
void ReferenceModel::CheckAgreement(const ModelRequest& request) {
  if (request.disturbed) return;
  const bool told = request.received == Status::kOk;
  const bool telling = request.needs_receive || (request.has_imm && request.target != nullptr &&
                                                 request.op == SendOp::kRdmaWrite);
  bool agree = true;
  if (request.sent == Status::kOk) {
    agree = telling ? told : !request.received.has_value();
  } else if (request.sent == Status::kRemoteBadLength) {
    agree = request.received == Status::kLocalBadLength;
  } else if (request.sent == Status::kBadStatus) {
    agree = request.received == Status::kInvalidLkey;
  } else if (request.sent == Status::kRnr) {
    agree = !request.received.has_value();
  } else {
    agree = !request.received || request.received == Status::kAbort;
  }
  if (agree) return;
  Fail(fmt::format("{}: the sender was told {}, the receiver {}", Describe(request),
                   request.sent ? static_cast<int>(*request.sent) : -1,
                   request.received ? static_cast<int>(*request.received) : -1));
}

void ReferenceModel::CheckCounters() {
  for (const PciAddress& nic : {kNicA, kNicB, kNicC}) {
    const DeviceStats stats = rig_.device(nic).GetStats();
    const Amounts& due = amounts_[nic];
    const auto check = [&](uint64_t counted, uint64_t expected, const char* name) {
      if (counted == expected) return;
      Fail(fmt::format("{}: {} is {}, not {}", nic.ToString(), name, counted, expected));
    };
    check(stats.send_wrs, due.send_wrs, "send_wrs");
    check(stats.send_bytes, due.send_bytes, "send_bytes");
    check(stats.recv_wrs, due.recv_wrs, "recv_wrs");
    check(stats.recv_bytes, due.recv_bytes, "recv_bytes");
    check(stats.rdma_read_wrs, due.read_wrs, "rdma_read_wrs");
    check(stats.rdma_read_bytes, due.read_bytes, "rdma_read_bytes");
    check(stats.rdma_read_resp_bytes, due.read_resp_bytes, "rdma_read_resp_bytes");
    check(stats.rdma_write_wrs, due.write_wrs, "rdma_write_wrs");
    check(stats.rdma_write_bytes, due.write_bytes, "rdma_write_bytes");
    check(stats.rdma_write_recv_bytes, due.write_recv_bytes, "rdma_write_recv_bytes");
    check(stats.cq_overruns, 0, "cq_overruns");
  }
}

void ReferenceModel::CheckIdle() {
  Drain();
  TakeEvents();
  for (auto it = all_.begin(); it != all_.end();) {
    ModelRequest& request = *it->second;
    if (!request.started && !request.sent && !request.dropped) {
      ++it;
      continue;
    }
    if (InFlight(request)) Fail(Describe(request) + ": never completed");
    CheckAgreement(request);
    if (request.promised_cq) --request.promised_cq->promised;
    it = all_.erase(it);
  }
  for (const auto& process : processes) {
    for (const auto& qp : process->qps) {
      qp->takers = 0;
      if (qp->state == QpState::kErr && !(qp->receives.empty() && qp->requests.empty())) {
        Fail(Describe(*qp) + ": not everything was flushed");
      }
    }
    for (const auto& cq : process->cqs) {
      if (cq->events_seen != cq->events_due) {
        Fail(fmt::format("CQ {}: {} events, not {}", cq->reader->number(), cq->events_seen,
                         cq->events_due));
      }
    }
    for (const auto& memory : process->memory) {
      if (!memory->IdleSlotsAreUnchanged()) Fail("memory that nobody asked for was written to");
    }
  }
  CheckCounters();
}

}  // namespace railgauge::efa
