#include "lib/emulator/device/local_memory.h"

namespace railgauge::efa {

bool AppendLocalMemory(const MrTable& mrs, uint16_t pd, std::span<const ScatterEntry> entries,
                       uint32_t permissions, std::vector<MemoryRun>& runs,
                       std::vector<std::shared_ptr<Mr>>& regions) {
  for (const ScatterEntry& entry : entries) {
    if (entry.length == 0) continue;
    const std::shared_ptr<Mr>& mr = mrs.FindLocal(entry.lkey);
    if (!mr || mr->pd != pd || (mr->permissions & permissions) != permissions ||
        !mr->Contains(entry.address, entry.length)) {
      return false;
    }
    mr->AppendRuns(entry.address, entry.length, runs);
    regions.push_back(mr);
  }
  return true;
}

const PathsOfPlace* PathsOfFirst(const MrTable& mrs, std::span<const ScatterEntry> entries) {
  for (const ScatterEntry& entry : entries) {
    if (entry.length == 0) continue;
    const std::shared_ptr<Mr>& mr = mrs.FindLocal(entry.lkey);
    return mr && mr->Contains(entry.address, entry.length) ? &mr->PathsAt(entry.address) : nullptr;
  }
  return nullptr;
}

uint64_t TotalLength(std::span<const ScatterEntry> entries) {
  uint64_t total = 0;
  for (const ScatterEntry& entry : entries) total += entry.length;
  return total;
}

}  // namespace railgauge::efa
