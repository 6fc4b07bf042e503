// DoorbellRing: the doorbell writes of one process on their way to the fabric process, in order.
//
// In memory that both map, lock-free: many threads write (from the fault handler), one reads. Every
// slot has a turn, which says whether the next writer or the reader may have it; a writer takes a
// slot by counting `claimed` up and then hands it over by its turn. A process that is killed
// between the two leaves only its own ring unreadable, and the ring goes with it.
#ifndef RAILGAUGE_LIB_EMULATOR_FABRIC_DOORBELL_RING_H_
#define RAILGAUGE_LIB_EMULATOR_FABRIC_DOORBELL_RING_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

namespace railgauge {

class DoorbellRing {
 public:
  static constexpr uint32_t kSlots = 4096;  // a power of two

  struct Doorbell {
    uint64_t offset = 0;  // in the ring memory; a multiple of 4
    uint32_t value = 0;
  };

  DoorbellRing() {
    for (uint32_t i = 0; i < kSlots; ++i) slots_[i].turn.store(i, std::memory_order_relaxed);
  }

  // False when the ring is full: the reader is behind by kSlots, and the writer has to wait as a
  // CPU does whose write a busy bus does not take.
  bool TryWrite(const Doorbell& doorbell) {
    uint32_t position = claimed_.load(std::memory_order_relaxed);
    for (;;) {
      Slot& slot = slots_[position % kSlots];
      const auto ahead = static_cast<int32_t>(slot.turn.load(std::memory_order_acquire) - position);
      if (ahead < 0) return false;
      if (ahead > 0) {
        position = claimed_.load(std::memory_order_relaxed);
        continue;
      }
      if (!claimed_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
        continue;
      }
      slot.word = static_cast<uint32_t>(doorbell.offset / kWordBytes);
      slot.value = doorbell.value;
      slot.turn.store(position + 1, std::memory_order_release);
      return true;
    }
  }

  // The next one; `position` is the reader's own count of what it has read.
  std::optional<Doorbell> Read(uint32_t& position) {
    Slot& slot = slots_[position % kSlots];
    if (slot.turn.load(std::memory_order_acquire) != position + 1) return std::nullopt;
    const Doorbell doorbell = {uint64_t{slot.word} * kWordBytes, slot.value};
    slot.turn.store(position + kSlots, std::memory_order_release);
    ++position;
    return doorbell;
  }

 private:
  static constexpr uint64_t kWordBytes = 4;
  struct Slot {
    std::atomic<uint32_t> turn;
    uint32_t word;
    uint32_t value;
    uint32_t unused;
  };
  alignas(64) std::atomic<uint32_t> claimed_{0};
  alignas(64) std::array<Slot, kSlots> slots_;
};

static_assert(std::atomic<uint32_t>::is_always_lock_free);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_FABRIC_DOORBELL_RING_H_
