// PdTable: protection domains, and how many objects live in each.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_PD_TABLE_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_PD_TABLE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/emulator/device/id_pool.h"

namespace railgauge::efa {

class PdTable {
 public:
  explicit PdTable(uint32_t limit) : numbers_(limit) {}

  std::optional<uint16_t> Allocate() {
    const std::optional<uint32_t> number = numbers_.Allocate();
    if (!number) return std::nullopt;
    if (*number >= domains_.size()) domains_.resize(*number + 1);
    domains_[*number] = {true, 0};
    return static_cast<uint16_t>(*number);
  }

  void Free(uint16_t pd) {
    domains_[pd].exists = false;
    numbers_.Free(pd);
  }

  uint32_t count() const { return numbers_.in_use(); }
  bool Exists(uint16_t pd) const { return pd < domains_.size() && domains_[pd].exists; }
  bool InUse(uint16_t pd) const { return domains_[pd].users > 0; }
  void AddUser(uint16_t pd) { ++domains_[pd].users; }
  void RemoveUser(uint16_t pd) { --domains_[pd].users; }

 private:
  struct Domain {
    bool exists = false;
    uint32_t users = 0;  // MRs, QPs, and AHs as often as they were created
  };

  IdPool numbers_;
  std::vector<Domain> domains_;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_PD_TABLE_H_
