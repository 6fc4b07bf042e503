// Hardware: the EFA functions of one emulated machine as its driver reaches them: admin commands,
// BARs, memory for rings, interrupts. In this process (local_hardware.h) or in another
// (lib/emulator/fabric).
#ifndef RAILGAUGE_LIB_EMULATOR_UVERBS_HARDWARE_H_
#define RAILGAUGE_LIB_EMULATOR_UVERBS_HARDWARE_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "lib/emulator/device/device.h"
#include "lib/emulator/device/dma_space.h"
#include "lib/emulator/uverbs/completion_events.h"
#include "lib/emulator/uverbs/ring_memory.h"

namespace railgauge {

// Where the BARs of a machine's functions lie in the ring memory, one after the other.
struct BarLayout {
  // Per function: room for the send rings of many QPs, and one doorbell page per open file.
  static constexpr uint64_t kLlqBytes = uint64_t{64} << 20;
  static constexpr uint64_t kDoorbellBytes = uint64_t{256} * RingMemory::kPageBytes;

  uint64_t llq_begin = 0;
  uint64_t doorbells_begin = 0;
  uint64_t num_devices = 0;

  uint64_t LlqKey(size_t device) const { return llq_begin + device * kLlqBytes; }
  uint64_t DoorbellKey(size_t device) const { return doorbells_begin + device * kDoorbellBytes; }
  bool IsDoorbell(uint64_t offset) const {
    return offset >= doorbells_begin && offset - doorbells_begin < num_devices * kDoorbellBytes;
  }
};

class Hardware {
 public:
  virtual ~Hardware() = default;

  virtual const BarLayout& layout() const = 0;
  virtual RingMemory* rings() = 0;
  virtual efa::DmaSpace* dma_space() = 0;
  // By the index of the machine's NIC.
  virtual efa::Device* device(size_t index) = 0;
  virtual CompletionEvents* events(size_t index) = 0;

  // `listener` is told once, by its index, of each function that goes from the bus: all of them
  // when whoever runs them is no more. From any thread; set once, before the functions are used.
  virtual void SetRemovalListener(std::function<void(size_t index)> listener) = 0;

  // A 32-bit store to the doorbell page at `offset` of the ring memory.
  virtual void StoreDoorbell(uint64_t offset, uint32_t value) = 0;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_UVERBS_HARDWARE_H_
