#include "lib/emulator/device/cq.h"

#include <algorithm>

#include "lib/emulator/device/shared_memory.h"

namespace railgauge::efa {
namespace {

efa_io_rx_cdesc_ex Encode(const Completion& completion, bool phase, bool set_src_addr) {
  efa_io_rx_cdesc_ex entry{};
  efa_io_rx_cdesc& base = entry.base;
  base.common.req_id = completion.req_id;
  base.common.status = static_cast<uint8_t>(completion.status);
  base.common.flags =
      static_cast<uint8_t>(PutField(kCompletionPhase, phase) |
                           PutField(kCompletionQueueType, static_cast<uint32_t>(completion.queue)) |
                           PutField(kCompletionHasImm, completion.has_imm) |
                           PutField(kCompletionOpType, static_cast<uint32_t>(completion.op)) |
                           PutField(kCompletionUnsolicited, completion.unsolicited));
  base.common.qp_num = completion.qp_num;
  if (completion.queue == QueueType::kSend) return entry;
  base.length = static_cast<uint16_t>(completion.length & 0xffff);
  base.ah = completion.ah;
  base.src_qp_num = completion.src_qp_num;
  base.imm = completion.imm;
  if (completion.op == SendOp::kRdmaWrite) {
    entry.u.rdma_write.length_hi = static_cast<uint16_t>(completion.length >> 16);
  } else if (set_src_addr && completion.ah == kUnknownAh) {
    std::copy(completion.src_gid.begin(), completion.src_gid.end(), entry.u.src_addr);
  }
  return entry;
}

}  // namespace

uint16_t CompletionQueue::AssignSubCq() {
  const uint16_t sub_cq = next_sub_cq_;
  next_sub_cq_ = static_cast<uint16_t>((next_sub_cq_ + 1) % shape_.num_sub_cqs);
  return sub_cq;
}

bool CompletionQueue::Overrun() const {
  const uint32_t capacity = shape_.depth * shape_.num_sub_cqs;
  // The reader's index has 16 bits: with more entries than that it says nothing.
  if (!shape_.interrupt_mode || capacity > 0xffff) return false;
  return static_cast<uint16_t>(total_produced_ - consumed_) >= capacity;
}

CompletionQueue::Outcome CompletionQueue::Write(uint16_t sub_cq, const Completion& completion) {
  if (Overrun()) return Outcome::kOverrun;
  const uint32_t index = produced_[sub_cq] & (shape_.depth - 1);
  const bool phase = ((produced_[sub_cq] / shape_.depth) & 1) == 0;
  std::byte* slot =
      shape_.ring + (size_t{sub_cq} * shape_.depth + index) * size_t{shape_.entry_size};
  const efa_io_rx_cdesc_ex entry = Encode(completion, phase, shape_.set_src_addr);
  if (shape_.entry_size == sizeof(entry.base)) {
    PublishShared(slot, entry.base);
  } else {
    PublishShared(slot, entry);
  }
  ++produced_[sub_cq];
  ++total_produced_;
  if (!armed_) return Outcome::kWritten;
  armed_ = false;
  raised_sequence_ = armed_sequence_;
  return Outcome::kWrittenWithEvent;
}

void CompletionQueue::Doorbell(uint32_t value) {
  consumed_ = static_cast<uint16_t>(GetField(value, kCqDoorbellConsumerIndexMask));
  if (GetField(value, kCqDoorbellArmMask) == 0) return;
  const uint32_t sequence = GetField(value, kCqDoorbellCommandSequenceMask);
  if (raised_sequence_ == sequence) return;
  armed_ = true;
  armed_sequence_ = sequence;
}

}  // namespace railgauge::efa
