// UarTable: the pages of the doorbell BAR, and which queue hears which word of them.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_UAR_TABLE_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_UAR_TABLE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/emulator/device/id_pool.h"

namespace railgauge::efa {

struct DoorbellTarget {
  enum class Kind : uint8_t { kNone, kSendQueue, kReceiveQueue, kCompletionQueue };
  Kind kind = Kind::kNone;
  uint32_t id = 0;  // QP handle or CQ number
};

class UarTable {
 public:
  static constexpr uint32_t kPageSize = 4096;

  explicit UarTable(uint32_t pages) : numbers_(pages), pages_(pages) {}

  std::optional<uint16_t> Allocate();
  uint32_t count() const { return numbers_.in_use(); }
  bool IsAllocated(uint16_t uar) const;
  // Whether a queue still has a doorbell in it.
  bool InUse(uint16_t uar) const { return pages_[uar].used > 0; }
  void Free(uint16_t uar);

  // The offset in the BAR of a doorbell word for `target`; empty when the page is full.
  std::optional<uint32_t> Bind(uint16_t uar, const DoorbellTarget& target);
  void Unbind(uint32_t offset);

  // kNone for offsets that belong to nobody or are not of a whole word.
  DoorbellTarget Find(uint64_t offset) const;

 private:
  struct Page {
    std::vector<DoorbellTarget> words;  // empty: not allocated
    uint32_t used = 0;
  };

  IdPool numbers_;
  std::vector<Page> pages_;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_UAR_TABLE_H_
