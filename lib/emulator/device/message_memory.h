// MessageMemory: application memory of a random test, in which every byte says what it is.
//
// A byte of a message is a function of the message's serial number and of its place in the message,
// with the top bit set; a byte that no message was brought to is a function of its place in the
// memory, without it. So what lies in a slot is untouched, a whole message, the part of one that
// came before an error, or a mistake of the device.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_MESSAGE_MEMORY_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_MESSAGE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lib/emulator/device/test_rig.h"

namespace railgauge::efa {

class MessageMemory {
 public:
  static constexpr uint64_t kSlotBytes = 8192;

  MessageMemory(TestFabric& rig, uint64_t slots, const MemoryPlace& place);

  // Gives the memory back to the host. A device that still touches it has a use after free.
  void Release() { memory_.reset(); }
  bool released() const { return memory_ == nullptr; }

  const TestMemory& memory() const { return *memory_; }
  uint64_t iova() const { return iova_; }
  uint64_t slots() const { return busy_.size(); }
  bool IsBusy(uint64_t slot) const { return busy_[slot]; }

  // Whether everything outside of busy slots is as it was left; true when released.
  bool IdleSlotsAreUnchanged() const;

 private:
  friend class MessageRange;

  std::unique_ptr<TestMemory> memory_;
  uint64_t iova_;
  std::vector<bool> busy_;
  std::vector<std::byte> left_;  // the content of slots when they were last in use
};

// A run of slots in use by one request, as its source or its destination. Gives them back when it
// is destroyed.
class MessageRange {
 public:
  // Takes the `count` slots from `first` on, none of them busy, and makes them untouched.
  MessageRange(std::shared_ptr<MessageMemory> memory, uint64_t first, uint64_t count);
  ~MessageRange();
  MessageRange(const MessageRange&) = delete;
  MessageRange& operator=(const MessageRange&) = delete;

  uint64_t iova() const { return memory_->iova() + offset_; }
  uint64_t bytes() const { return bytes_; }
  bool released() const { return memory_->released(); }

  // Writes the message's first `length` bytes, as an application does before it sends.
  void WriteMessage(uint32_t serial, uint64_t length);

  // The first `length` bytes are the message, the rest is untouched.
  bool HoldsMessage(uint32_t serial, uint64_t length) const;
  // No byte is anything but untouched or, within `length`, of the message.
  bool HoldsPartOf(uint32_t serial, uint64_t length) const;
  bool IsUntouched() const;

 private:
  std::byte* data() const { return memory_->memory_->data() + offset_; }
  std::byte Untouched(uint64_t i) const;

  std::shared_ptr<MessageMemory> memory_;
  uint64_t offset_, bytes_;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_MESSAGE_MEMORY_H_
