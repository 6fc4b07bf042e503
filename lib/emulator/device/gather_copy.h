// Copies part of a payload from one list of memory runs to another.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_GATHER_COPY_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_GATHER_COPY_H_

#include <cstdint>
#include <functional>
#include <span>

#include "lib/emulator/device/environment.h"
#include "lib/emulator/device/mr_table.h"

namespace railgauge::efa {

// Bytes [offset, offset + bytes) of the payload. Both lists hold at least that much. Stops at the
// first fault.
CopyOutcome GatherCopy(std::span<const MemoryRun> destination, std::span<const MemoryRun> source,
                       uint64_t offset, uint64_t bytes,
                       const std::function<CopyOutcome(void*, const void*, size_t)>& copy);

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_GATHER_COPY_H_
