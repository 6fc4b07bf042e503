// AhTable: the address handles of one device: what a PD may send to, by GID.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_AH_TABLE_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_AH_TABLE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "lib/emulator/device/admin.h"
#include "lib/emulator/device/id_pool.h"

namespace railgauge::efa {

class AhTable {
 public:
  // At most `limit` distinct (PD, GID) at a time; at most 65535, as 0xFFFF means "unknown".
  explicit AhTable(uint32_t limit);

  uint32_t count() const { return numbers_.in_use(); }

  // The number of (pd, gid), the same one while it exists; empty when the table is full.
  std::optional<uint16_t> Create(uint16_t pd, const Gid& gid);
  // Undoes one Create; false when there is none to undo.
  bool Destroy(uint16_t pd, uint16_t ah);

  // The GID that `ah` of `pd` names; null when that PD has no such handle.
  const Gid* Find(uint16_t pd, uint16_t ah) const;
  // The handle by which `pd` knows `gid`.
  std::optional<uint16_t> FindByGid(uint16_t pd, const Gid& gid) const;

 private:
  struct Entry {
    uint16_t pd = 0;
    Gid gid{};
    uint32_t references = 0;  // 0: free
  };

  IdPool numbers_;
  std::vector<Entry> entries_;  // by number
  std::map<std::pair<uint16_t, Gid>, uint16_t> by_gid_;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_AH_TABLE_H_
