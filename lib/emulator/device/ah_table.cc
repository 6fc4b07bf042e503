#include "lib/emulator/device/ah_table.h"

#include <algorithm>

namespace railgauge::efa {

AhTable::AhTable(uint32_t limit) : numbers_(std::min(limit, 0xffffu)) {}

std::optional<uint16_t> AhTable::Create(uint16_t pd, const Gid& gid) {
  if (const auto known = FindByGid(pd, gid)) {
    ++entries_[*known].references;
    return known;
  }
  const std::optional<uint32_t> number = numbers_.Allocate();
  if (!number) return std::nullopt;
  if (*number >= entries_.size()) entries_.resize(*number + 1);
  entries_[*number] = {pd, gid, 1};
  const auto ah = static_cast<uint16_t>(*number);
  by_gid_[{pd, gid}] = ah;
  return ah;
}

bool AhTable::Destroy(uint16_t pd, uint16_t ah) {
  if (Find(pd, ah) == nullptr) return false;
  Entry& entry = entries_[ah];
  if (--entry.references > 0) return true;
  by_gid_.erase({pd, entry.gid});
  numbers_.Free(ah);
  return true;
}

const Gid* AhTable::Find(uint16_t pd, uint16_t ah) const {
  if (ah >= entries_.size()) return nullptr;
  const Entry& entry = entries_[ah];
  return entry.references > 0 && entry.pd == pd ? &entry.gid : nullptr;
}

std::optional<uint16_t> AhTable::FindByGid(uint16_t pd, const Gid& gid) const {
  const auto found = by_gid_.find({pd, gid});
  if (found == by_gid_.end()) return std::nullopt;
  return found->second;
}

}  // namespace railgauge::efa
