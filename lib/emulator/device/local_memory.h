// Checks the local memory that a work request names, and finds it.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_LOCAL_MEMORY_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_LOCAL_MEMORY_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lib/emulator/device/mr_table.h"
#include "lib/emulator/device/wqe.h"

namespace railgauge::efa {

// The runs of `entries`, appended, when every entry's key is of a region in `pd` that holds it and
// has `permissions`. Entries of no length need no valid key. False: kInvalidLkey.
bool AppendLocalMemory(const MrTable& mrs, uint16_t pd, std::span<const ScatterEntry> entries,
                       uint32_t permissions, std::vector<MemoryRun>& runs,
                       std::vector<std::shared_ptr<Mr>>& regions);

// The paths of the first byte that `entries` name: null when they name none or the key is unknown.
const PathsOfPlace* PathsOfFirst(const MrTable& mrs, std::span<const ScatterEntry> entries);

uint64_t TotalLength(std::span<const ScatterEntry> entries);

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_LOCAL_MEMORY_H_
