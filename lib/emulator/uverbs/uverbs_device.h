// UverbsDevice: what the efa driver holds for one EFA function, shared by all its open files.
#ifndef RAILGAUGE_LIB_EMULATOR_UVERBS_UVERBS_DEVICE_H_
#define RAILGAUGE_LIB_EMULATOR_UVERBS_UVERBS_DEVICE_H_

#include <atomic>
#include <cstdint>

#include "lib/emulator/device/device.h"
#include "lib/emulator/device/dma_space.h"
#include "lib/emulator/uverbs/completion_events.h"
#include "lib/emulator/uverbs/memory_locator.h"
#include "lib/emulator/uverbs/ring_memory.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

// The errno value that the driver makes of a status of the admin queue.
int ErrnoOf(efa::AdminStatus status);

struct UverbsDevice {
  // The errno value with which the driver refuses to register memory this way, or to be opened; 0
  // when it does not.
  int RegistrationError(RegistrationWay way) const;
  int OpenError() const;

  const EmulatedNic* nic = nullptr;
  const EmulatedPciDevice* pci = nullptr;
  uint32_t num_comp_vectors = 1;
  std::atomic<bool> removed{false};  // from the bus
  efa::Device* device = nullptr;
  efa::DmaSpace* dma_space = nullptr;
  RingMemory* rings = nullptr;
  CompletionEvents* events = nullptr;
  MemoryLocator* locator = nullptr;
  uint64_t llq_key = 0;       // offset of the LLQ BAR in the ring memory
  uint64_t doorbell_key = 0;  // and of the doorbell BAR
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_UVERBS_UVERBS_DEVICE_H_
