// FabricEnvironment: what the device model needs from outside, since it makes no system call and
// has neither thread nor clock.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_ENVIRONMENT_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_ENVIRONMENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "lib/base/pci_address.h"
#include "lib/base/units.h"

namespace railgauge::efa {

// What came of a copy. A fault is memory that the application unmapped after it registered it:
// hardware keeps pinned pages, a copy through the application's mapping cannot. Gone: the process
// that owned it is no more, which the fabric has not been told yet.
enum class CopyOutcome { kDone, kSourceFault, kDestinationFault, kSourceGone, kDestinationGone };

// Whose address space a pointer is of. The device model only carries it from DmaSpace to the copy.
using MemoryOwner = uint32_t;
inline constexpr MemoryOwner kOwnMemory = 0;  // of the process that runs the device model

struct MemoryCopy {
  std::byte* destination = nullptr;
  const std::byte* source = nullptr;
  uint64_t bytes = 0;
  MemoryOwner destination_owner = kOwnMemory, source_owner = kOwnMemory;
};

struct FabricEnvironment {
  // Monotonic. Called with the fabric's lock held: it must not call the fabric.
  std::function<Nanoseconds()> now;
  // Something is due earlier than the last Poll said. Any thread, no lock of the fabric held.
  std::function<void()> wake;
  // An armed CQ of a NIC of machine `node` got a completion. Any thread, no lock of the fabric
  // held.
  std::function<void(uint32_t node, const PciAddress& nic, uint16_t cq)> completion_event;
  // A NIC of machine `node` is gone from the bus (fault_state.h); told once. Any thread, no lock of
  // the fabric held.
  std::function<void(uint32_t node, const PciAddress& nic)> device_removed;
  // Copies payload, in order until one fails; called by the polling thread without a lock. All that
  // a transfer's turn copies comes in one call, since memory of another process costs a system call
  // per call, not per byte. Empty: memcpy, for memory of this process only. After a fault the
  // request fails: kInvalidLkey for the initiator's memory, kBadAddress for the other end's (a
  // guess; what hardware does with lost pages is not public); where the other end's process is
  // gone, as to a dead queue pair.
  std::function<CopyOutcome(std::span<const MemoryCopy> copies)> copy;
  // Called by Poll between its copies, without a lock: where doorbells are not told as they are
  // written (another process's), what was written meanwhile is told from here.
  std::function<void()> between_copies;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_ENVIRONMENT_H_
