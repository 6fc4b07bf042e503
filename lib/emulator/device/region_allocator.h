// RegionAllocator: first-fit pieces of a BAR, in whole pages, so that no two owners map one page.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_REGION_ALLOCATOR_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_REGION_ALLOCATOR_H_

#include <cstdint>
#include <map>
#include <optional>

namespace railgauge::efa {

class RegionAllocator {
 public:
  static constexpr uint64_t kPageSize = 4096;

  explicit RegionAllocator(uint64_t size) : size_(size) {}

  // The offset of `bytes`, which are more than 0; empty when no gap is large enough.
  std::optional<uint64_t> Allocate(uint64_t bytes) {
    const uint64_t need = (bytes + kPageSize - 1) / kPageSize * kPageSize;
    uint64_t gap = 0;
    for (const auto& [start, length] : used_) {
      if (start - gap >= need) break;
      gap = start + length;
    }
    if (need > size_ - gap) return std::nullopt;
    used_[gap] = need;
    return gap;
  }

  void Free(uint64_t offset) { used_.erase(offset); }

  uint64_t bytes_in_use() const {
    uint64_t bytes = 0;
    for (const auto& [start, length] : used_) bytes += length;
    return bytes;
  }

 private:
  uint64_t size_;
  std::map<uint64_t, uint64_t> used_;  // start to length
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_REGION_ALLOCATOR_H_
