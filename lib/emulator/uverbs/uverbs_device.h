// UverbsDevice: what the efa driver holds for one EFA function, shared by all its open files.
#ifndef RAILGAUGE_LIB_EMULATOR_UVERBS_UVERBS_DEVICE_H_
#define RAILGAUGE_LIB_EMULATOR_UVERBS_UVERBS_DEVICE_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "lib/emulator/device/device.h"
#include "lib/emulator/device/dma_space.h"
#include "lib/emulator/uverbs/arena.h"
#include "lib/emulator/uverbs/event_channel.h"
#include "lib/emulator/uverbs/memory_locator.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

// The errno value that the driver makes of a status of the admin queue.
int ErrnoOf(efa::AdminStatus status);

// The completion events of one CQ. Kept by the CQ's owner; told to by the device.
struct CqEvents {
  std::shared_ptr<EventChannel> channel;
  uint64_t user_handle = 0;
  uint32_t sent = 0;  // guarded by UverbsDevice::events_mutex
};

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
  Arena* arena = nullptr;
  MemoryLocator* locator = nullptr;
  uint64_t llq_key = 0;       // arena offset of the LLQ BAR
  uint64_t doorbell_key = 0;  // and of the doorbell BAR
  std::mutex events_mutex;
  std::map<uint16_t, std::shared_ptr<CqEvents>> events;  // by CQ number
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_UVERBS_UVERBS_DEVICE_H_
