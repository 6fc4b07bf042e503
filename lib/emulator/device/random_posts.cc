// RandomOperations: states of queue pairs, and the requests that are posted to them.
#include <algorithm>
#include <cstring>
#include <utility>

#include "lib/emulator/device/random_operations.h"

namespace railgauge::efa {
namespace {

constexpr PciAddress kNobody{0xffff, 0, 0, 0};
constexpr uint64_t kSlot = MessageMemory::kSlotBytes;
constexpr uint64_t kMtu = 8928;

uint64_t SlotsOf(uint64_t bytes) { return std::max<uint64_t>(1, (bytes + kSlot - 1) / kSlot); }

efa_io_tx_buf_desc Buffer(uint64_t address, uint64_t length, uint32_t lkey) {
  return {static_cast<uint32_t>(length), lkey, static_cast<uint32_t>(address),
          static_cast<uint32_t>(address >> 32)};
}

// The descriptor of `request`; its local memory in two entries where `split` says so.
efa_io_tx_wqe Encode(const ModelRequest& request, bool split) {
  efa_io_tx_wqe wqe{};
  wqe.meta.req_id = request.req_id;
  wqe.meta.ctrl1 = static_cast<uint8_t>(
      PutField(kTxMetaDesc, 1) | PutField(kTxOpType, static_cast<uint32_t>(request.op)) |
      PutField(kTxHasImm, request.has_imm) | PutField(kTxInline, request.is_inline));
  wqe.meta.ctrl2 = static_cast<uint8_t>(PutField(kTxFirst, request.malformed ? 0 : 1) |
                                        PutField(kTxLast, 1) | PutField(kTxCompletionRequested, 1));
  wqe.meta.dest_qp_num = request.dest_qp_num;
  wqe.meta.ah = request.ah;
  wqe.meta.qkey = request.qkey;
  wqe.meta.immediate_data = request.has_imm ? request.serial : 0;
  const uint64_t address = request.local_address;
  if (request.op != SendOp::kSend) {
    wqe.meta.length = 1;
    wqe.data.rdma_req.remote_mem = {static_cast<uint32_t>(request.length), request.rkey,
                                    static_cast<uint32_t>(request.remote_address),
                                    static_cast<uint32_t>(request.remote_address >> 32)};
    wqe.data.rdma_req.local_mem[0] = Buffer(address, request.length, request.lkey);
  } else if (request.is_inline) {
    wqe.meta.length = static_cast<uint16_t>(request.length);
    std::memcpy(wqe.data.inline_data, reinterpret_cast<const void*>(address), request.length);
  } else {
    const uint64_t first = split ? request.length / 2 : request.length;
    wqe.meta.length = split ? 2 : 1;
    wqe.data.sgl[0] = Buffer(address, first, request.lkey);
    wqe.data.sgl[1] = Buffer(address + first, request.length - first, request.lkey);
  }
  return wqe;
}

}  // namespace

void RandomOperations::MakeReady(const std::shared_ptr<ModelQp>& qp) {
  for (const QpState state : {QpState::kInit, QpState::kRtr, QpState::kRts}) SetState(qp, state);
}

void RandomOperations::Modify(const std::shared_ptr<ModelQp>& qp) {
  switch (qp->state) {
    case QpState::kReset:
      Expect(qp->writer->Modify(QpState::kRts) == AdminStatus::kIllegalParameter,
             "RESET to RTS was allowed");
      return Chance(50) ? MakeReady(qp) : SetState(qp, QpState::kInit);
    case QpState::kInit:
      return SetState(qp, QpState::kRtr);
    case QpState::kRtr:
      return SetState(qp, QpState::kRts);
    case QpState::kSqd:
      return SetState(qp, Chance(80) ? QpState::kRts : QpState::kErr);
    case QpState::kErr:
      Expect(qp->writer->Modify(QpState::kRts) == AdminStatus::kIllegalParameter,
             "ERR to RTS was allowed");
      SetState(qp, QpState::kReset);
      return Chance(80) ? MakeReady(qp) : SetState(qp, QpState::kInit);
    default:
      if (Chance(60)) return SetState(qp, QpState::kSqd);
      SetState(qp, Chance(50) ? QpState::kErr : QpState::kReset);
      // Often at once: what was in flight to the old queue pair must not reach the new one.
      if (qp->state == QpState::kErr && Chance(50)) SetState(qp, QpState::kReset);
      if (qp->state == QpState::kReset && Chance(80)) MakeReady(qp);
  }
}

void RandomOperations::SetState(const std::shared_ptr<ModelQp>& qp, QpState state) {
  const auto modify = [&] {
    Expect(qp->writer->Modify(state) == AdminStatus::kSuccess, "a QP did not change its state");
  };
  if (state == QpState::kErr) {
    model_.QpFails(*qp);
    qp->state = state;
    modify();
    model_.Drain();
    Expect(qp->requests.empty(), "a QP in ERR still has requests");
  } else if (state == QpState::kReset) {
    model_.QpStopsReceiving(*qp);
    modify();
    model_.Drain();
    model_.QpWasEmptied(*qp);
    qp->state = state;
    qp->writer->ResetIndices();
  } else {
    qp->state = state;
    model_.StartWaiting(qp);
    modify();
  }
}

std::shared_ptr<ModelMr> RandomOperations::PickMr(Process& process, const ModelPd* pd,
                                                  uint32_t permissions) {
  std::vector<std::shared_ptr<ModelMr>> good;
  for (const auto& mr : process.mrs) {
    if (mr->pd.get() == pd && (mr->permissions & permissions) == permissions) good.push_back(mr);
  }
  return Chance(95) ? Pick(good) : Pick(process.mrs);
}

std::shared_ptr<MessageRange> RandomOperations::TakeFrom(const ModelMr& mr, uint64_t slots) {
  const uint64_t places = mr.slots - slots + 1;
  const uint64_t start = Below(places);
  for (uint64_t i = 0; i < places; ++i) {
    const uint64_t first = mr.first_slot + (start + i) % places;
    uint64_t free = 0;
    while (free < slots && !mr.memory->IsBusy(first + free)) ++free;
    if (free == slots) return std::make_shared<MessageRange>(mr.memory, first, slots);
  }
  return nullptr;
}

uint64_t RandomOperations::ChooseLength(SendOp op) {
  const uint64_t dice = Below(100);
  if (dice < 4) return 0;
  if (dice < 40) return 1 + Below(64);
  if (dice < 60) return 1 + Below(1024);
  if (op == SendOp::kSend) return dice < 97 ? 1 + Below(kSlot) : kMtu - 2 + Below(5);
  return dice < 85 ? 1 + Below(kSlot) : 1 + Below(4 * kSlot);
}

void RandomOperations::PostReceives(Process& process, const std::shared_ptr<ModelQp>& qp) {
  if (qp->state == QpState::kReset) return;
  bool any = false;
  for (uint64_t batch = 1 + Below(6); batch > 0; --batch) any |= PostReceive(process, *qp);
  if (any) qp->writer->RingReceive();
}

bool RandomOperations::PostReceive(Process& process, ModelQp& qp) {
  const auto mr = PickMr(process, qp.pd.get(), kLocalWrite);
  ModelReceive receive;
  receive.descriptors = static_cast<uint32_t>(1 + Below(3));
  const uint32_t used = qp.ReceiveDescriptors();
  if (!mr || used + receive.descriptors > qp.rq_depth ||
      qp.recv_cq->promised >= qp.recv_cq->depth) {
    return false;
  }
  const uint64_t slots = Chance(90) ? 1 : 2;
  receive.range = TakeFrom(*mr, slots);
  if (receive.range == nullptr) return false;
  receive.mr = mr;
  receive.req_id = qp.next_req_id++;
  receive.length = static_cast<uint32_t>(Chance(80) ? slots * kSlot : 3 + Below(kSlot - 3));
  receive.bad_key = Chance(3) || mr->pd != qp.pd || (mr->permissions & kLocalWrite) == 0;
  const uint32_t lkey = mr->keys.lkey;
  const uint32_t given = receive.bad_key && mr->pd == qp.pd ? lkey ^ 0x800000u : lkey;
  uint32_t done = 0;
  for (uint32_t i = 0; i < receive.descriptors; ++i) {
    const bool last = i + 1 == receive.descriptors;
    const uint32_t piece = last ? receive.length - done : receive.length / receive.descriptors;
    qp.writer->PostReceive(i == 0 ? receive.req_id : uint16_t{0}, receive.range->iova() + done,
                           given, static_cast<uint16_t>(piece), i == 0, last);
    done += piece;
  }
  ++qp.recv_cq->promised;
  qp.rq_posted += receive.descriptors;
  qp.receives.emplace(receive.req_id, std::move(receive));
  return true;
}

void RandomOperations::PostSends(Process& process, const std::shared_ptr<ModelQp>& qp) {
  if (qp->state == QpState::kReset) return;
  bool any = false;
  for (uint64_t batch = 1 + Below(4); batch > 0; --batch) any |= PostSend(process, qp);
  if (!any) return;
  if (qp->state == QpState::kErr) qp->waiting.clear();  // flushed by the doorbell
  model_.StartWaiting(qp);
  qp->writer->RingSend();
}

bool RandomOperations::PostSend(Process& process, const std::shared_ptr<ModelQp>& qp) {
  if (qp->requests.size() >= qp->sq_depth || qp->send_cq->promised >= qp->send_cq->depth) {
    return false;
  }
  Process& target_process = *model_.processes[Below(model_.processes.size())];
  const std::shared_ptr<ModelQp> target = Pick(target_process.qps);
  if (!target) return false;
  auto request = std::make_shared<ModelRequest>();
  request->initiator = qp;
  request->serial = next_serial_++;
  request->req_id = qp->next_req_id++;
  request->op = std::array{SendOp::kSend, SendOp::kRdmaRead, SendOp::kRdmaWrite}[Below(3)];
  request->length = ChooseLength(request->op);
  request->dest_qp_num = target->writer->number();
  request->qkey = TestQp::kQkey;
  request->has_imm =
      request->op == SendOp::kSend || (request->op == SendOp::kRdmaWrite && Chance(40));
  if (!ChooseMemory(process, target_process, *target, *request)) return false;
  ChooseAh(process, target_process, *target, *request);
  if (request->has_imm && request->op == SendOp::kRdmaWrite && target->unsolicited) {
    if (target->recv_cq->promised >= target->recv_cq->depth) return false;
    request->promised_cq = target->recv_cq;
    ++target->recv_cq->promised;
  }
  if (Chance(10)) Spoil(*request);
  model_.Posted(request);
  qp->writer->Post(Encode(*request, Chance(30)));
  return true;
}

bool RandomOperations::ChooseMemory(Process& process, Process& target_process, ModelQp& target,
                                    ModelRequest& request) {
  const bool read = request.op == SendOp::kRdmaRead;
  const auto local = PickMr(process, request.initiator->pd.get(), read ? kLocalWrite : 0u);
  if (!local) return false;
  const auto local_range = TakeFrom(*local, SlotsOf(request.length));
  if (!local_range) return false;
  request.lkey = local->keys.lkey;
  request.local_address = local_range->iova();
  (read ? request.destination : request.source) = local_range;
  if (request.op != SendOp::kSend) {
    const auto remote = PickMr(target_process, target.pd.get(), read ? kRemoteRead : kRemoteWrite);
    if (!remote) return false;
    const auto remote_range = TakeFrom(*remote, SlotsOf(request.length));
    if (!remote_range) return false;
    request.rkey = remote->keys.rkey;
    request.remote_address = remote_range->iova();
    (read ? request.source : request.destination) = remote_range;
  }
  request.source->WriteMessage(request.serial, request.length);
  request.is_inline = request.op == SendOp::kSend && request.length <= 32 && Chance(40);
  return true;
}

// An address handle for the target, and one of the target for us; sometimes they are missing.
void RandomOperations::ChooseAh(Process& process, Process& target_process, const ModelQp& target,
                                ModelRequest& request) {
  const auto find = [](const Process& owner, const ModelPd* pd, const PciAddress& peer) {
    for (const auto& ah : owner.ahs) {
      if (ah->pd.get() == pd && ah->peer == peer) return ah;
    }
    return std::shared_ptr<ModelAh>();
  };
  const auto& pd = request.initiator->pd;
  auto ah = find(process, pd.get(), Chance(98) ? target.nic : kNobody);
  if (!ah && Chance(90)) ah = CreateAh(process, pd, target.nic);
  request.ah = ah ? ah->number : uint16_t{0x7777};
  if (!find(target_process, target.pd.get(), process.nic) && Chance(90)) {
    CreateAh(target_process, target.pd, process.nic);
  }
}

void RandomOperations::Spoil(ModelRequest& request) {
  switch (Below(7)) {
    case 0:
      request.lkey ^= 0x800000u;
      break;
    case 1:
      request.rkey ^= 0x40000000u;
      break;
    case 2:
      if (request.op != SendOp::kSend) request.remote_address += uint64_t{1} << 40;
      break;
    case 3:
      request.dest_qp_num = static_cast<uint16_t>(request.dest_qp_num ^ 0x8000u);
      break;
    case 4:
      request.qkey ^= 1;
      break;
    case 5:
      request.ah = 0x7777;
      break;
    default:
      request.malformed = true;
  }
}

void RandomOperations::Arm(Process& process) {
  const auto cq = Pick(process.cqs);
  if (!cq || !cq->with_events) return;
  model_.DrainCq(*cq, process.nic);
  model_.TakeEvents();
  cq->reader->Arm();
  cq->armed = true;
}

}  // namespace railgauge::efa
