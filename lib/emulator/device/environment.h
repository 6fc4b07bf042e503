// FabricEnvironment: what the device model needs from outside, since it makes no system call and
// has neither thread nor clock.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_ENVIRONMENT_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_ENVIRONMENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "lib/base/pci_address.h"
#include "lib/base/units.h"

namespace railgauge::efa {

// What came of a copy. A fault is memory that the application unmapped after it registered it:
// hardware keeps pinned pages, a copy through the application's mapping cannot.
enum class CopyOutcome { kDone, kSourceFault, kDestinationFault };

struct FabricEnvironment {
  // Monotonic. Called with the fabric's lock held: it must not call the fabric.
  std::function<Nanoseconds()> now;
  // Something is due earlier than the last Poll said. Any thread, no lock of the fabric held.
  std::function<void()> wake;
  // An armed CQ got a completion. Any thread, no lock of the fabric held.
  std::function<void(const PciAddress& nic, uint16_t cq)> completion_event;
  // Copies payload, called by the polling thread without a lock. Empty: memcpy. After a fault the
  // request fails: kInvalidLkey for the initiator's memory, kBadAddress for the other end's (a
  // guess; what hardware does with lost pages is not public).
  std::function<CopyOutcome(void* destination, const void* source, size_t bytes)> copy;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_ENVIRONMENT_H_
