#include "lib/emulator/device/message_memory.h"

#include <algorithm>
#include <cstring>

#include "lib/base/result.h"

namespace railgauge::efa {
namespace {

constexpr uint8_t kOfMessage = 0x80;

uint8_t Mix(uint64_t seed, uint64_t position) {
  const uint64_t mixed = (position + 1 + seed * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
  return static_cast<uint8_t>(mixed >> 57);  // 7 bits
}

std::byte MessageByte(uint32_t serial, uint64_t i) {
  return static_cast<std::byte>(kOfMessage | Mix(serial, i));
}

}  // namespace

MessageMemory::MessageMemory(TestFabric& rig, uint64_t slots, const MemoryPlace& place)
    : memory_(std::make_unique<TestMemory>(&rig.dma_space(), slots * kSlotBytes, place)),
      iova_(memory_->iova()),
      busy_(slots),
      left_(slots * kSlotBytes) {
  std::memcpy(left_.data(), memory_->data(), left_.size());
}

bool MessageMemory::IdleSlotsAreUnchanged() const {
  if (released()) return true;
  for (uint64_t slot = 0; slot < busy_.size(); ++slot) {
    const uint64_t offset = slot * kSlotBytes;
    if (!busy_[slot] &&
        std::memcmp(memory_->data() + offset, left_.data() + offset, kSlotBytes) != 0) {
      return false;
    }
  }
  return true;
}

MessageRange::MessageRange(std::shared_ptr<MessageMemory> memory, uint64_t first, uint64_t count)
    : memory_(std::move(memory)),
      offset_(first * MessageMemory::kSlotBytes),
      bytes_(count * MessageMemory::kSlotBytes) {
  for (uint64_t slot = first; slot < first + count; ++slot) {
    RAILGAUGE_CHECK(!memory_->busy_[slot]);
    memory_->busy_[slot] = true;
  }
  for (uint64_t i = 0; i < bytes_; ++i) data()[i] = Untouched(i);
}

MessageRange::~MessageRange() {
  for (uint64_t offset = offset_; offset < offset_ + bytes_; offset += MessageMemory::kSlotBytes) {
    memory_->busy_[offset / MessageMemory::kSlotBytes] = false;
  }
  if (!released()) std::memcpy(memory_->left_.data() + offset_, data(), bytes_);
}

void MessageRange::WriteMessage(uint32_t serial, uint64_t length) {
  for (uint64_t i = 0; i < length; ++i) data()[i] = MessageByte(serial, i);
}

bool MessageRange::HoldsMessage(uint32_t serial, uint64_t length) const {
  for (uint64_t i = 0; i < bytes_; ++i) {
    if (data()[i] != (i < length ? MessageByte(serial, i) : Untouched(i))) return false;
  }
  return true;
}

bool MessageRange::HoldsPartOf(uint32_t serial, uint64_t length) const {
  for (uint64_t i = 0; i < bytes_; ++i) {
    const bool of_message = i < length && data()[i] == MessageByte(serial, i);
    if (!of_message && data()[i] != Untouched(i)) return false;
  }
  return true;
}

bool MessageRange::IsUntouched() const { return HoldsMessage(0, 0); }

std::byte MessageRange::Untouched(uint64_t i) const {
  return static_cast<std::byte>(Mix(~uint64_t{0}, offset_ + i));
}

}  // namespace railgauge::efa
