// Says which copies bring part of a payload from one list of memory runs to another.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_GATHER_COPY_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_GATHER_COPY_H_

#include <cstdint>
#include <span>
#include <vector>

#include "lib/emulator/device/environment.h"
#include "lib/emulator/device/mr_table.h"

namespace railgauge::efa {

// Appends those of bytes [offset, offset + bytes) of the payload, in order. Both lists hold at
// least that much.
void AppendCopies(std::span<const MemoryRun> destination, std::span<const MemoryRun> source,
                  uint64_t offset, uint64_t bytes, std::vector<MemoryCopy>& copies);

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_GATHER_COPY_H_
