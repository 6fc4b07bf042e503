#include "lib/emulator/device/qp.h"

#include <algorithm>
#include <bit>

#include "lib/base/result.h"

namespace railgauge::efa {
namespace {

constexpr uint32_t kQpNumbers = 1u << 16;

}  // namespace

bool IsTransitionAllowed(QpState from, QpState to) {
  if (to == QpState::kReset || to == QpState::kErr) return true;
  switch (from) {
    case QpState::kReset:
      return to == QpState::kInit;
    case QpState::kInit:
      return to == QpState::kInit || to == QpState::kRtr;
    case QpState::kRtr:
      return to == QpState::kRts;
    case QpState::kRts:
    case QpState::kSqd:
      return to == QpState::kRts || to == QpState::kSqd;
    case QpState::kSqe:
      return to == QpState::kRts;
    case QpState::kErr:
      return false;
  }
  return false;
}

std::optional<ReceiveRequest> QueuePair::TakeReceive(uint32_t max_entries) {
  const uint32_t pending = rq.pending();
  if (pending == 0) return std::nullopt;
  ReceiveRequest request;
  for (uint32_t i = 0; i < pending; ++i) {
    const ReceiveDescriptor descriptor = DecodeReceive(rq.Peek<efa_io_rx_desc>(i));
    if (i == 0) request.req_id = descriptor.req_id;
    request.malformed |= descriptor.first != (i == 0) || i >= max_entries;
    request.entries.push_back(descriptor.entry);
    if (descriptor.last || request.malformed) {
      rq.Pop(i + 1);
      return request;
    }
  }
  return std::nullopt;  // the last descriptor is still to come
}

QpTable::QpTable(uint32_t limit) : slots_(limit), size_(std::bit_ceil(std::max(limit, 1u))) {
  RAILGAUGE_CHECK(size_ <= kQpNumbers);
}

QueuePair* QpTable::Add() {
  const std::optional<uint32_t> slot = slots_.Allocate();
  if (!slot) return nullptr;
  if (*slot >= queue_pairs_.size()) queue_pairs_.resize(*slot + 1);
  auto qp = std::make_unique<QueuePair>();
  // Laps above the slot make numbers of destroyed QPs stale, and keep 0, which some tools take
  // for "none", unused where there is room.
  const uint32_t laps = kQpNumbers / size_;
  const uint32_t lap = laps > 1 ? 1 + serial_ % (laps - 1) : 0;
  qp->number = static_cast<uint16_t>(lap * size_ + *slot);
  qp->handle = (serial_ << 16) | qp->number;
  dead_.erase(qp->number);
  ++serial_;
  queue_pairs_[*slot] = std::move(qp);
  return queue_pairs_[*slot].get();
}

void QpTable::Remove(uint32_t handle) {
  RAILGAUGE_CHECK(FindByHandle(handle) != nullptr);
  const uint32_t slot = handle & (size_ - 1);
  queue_pairs_[slot].reset();
  slots_.Free(slot);
}

std::optional<uint32_t> QpTable::FindDead(uint16_t number) const {
  const auto found = dead_.find(number);
  if (found == dead_.end()) return std::nullopt;
  return found->second;
}

QueuePair* QpTable::FindByHandle(uint32_t handle) const {
  QueuePair* qp = FindByNumber(static_cast<uint16_t>(handle));
  return qp != nullptr && qp->handle == handle ? qp : nullptr;
}

QueuePair* QpTable::FindByNumber(uint16_t number) const {
  const uint32_t slot = number & (size_ - 1);
  if (slot >= queue_pairs_.size()) return nullptr;
  QueuePair* qp = queue_pairs_[slot].get();
  return qp != nullptr && qp->number == number ? qp : nullptr;
}

}  // namespace railgauge::efa
