#include "lib/emulator/device/dma_space.h"

#include <iterator>

#include "lib/base/result.h"

namespace railgauge::efa {
namespace {

constexpr uint64_t kPageSize = 4096;

}  // namespace

uint64_t DmaSpace::Add(const Range& range) {
  RAILGAUGE_CHECK(range.memory != nullptr && range.length > 0);
  const uint64_t pages = (range.length + kPageSize - 1) / kPageSize;
  std::lock_guard lock(mutex_);
  const uint64_t address = next_;
  // Addresses only grow, so a stale one never means somebody else's memory; the page in between
  // keeps a run over the end of a range from reaching the next.
  next_ += (pages + 1) * kPageSize;
  ranges_.emplace(address, range);
  return address;
}

void DmaSpace::Remove(uint64_t dma_address) {
  std::lock_guard lock(mutex_);
  RAILGAUGE_CHECK(ranges_.erase(dma_address) == 1);
}

std::optional<DmaSpace::Range> DmaSpace::Resolve(uint64_t dma_address, uint64_t length) const {
  std::lock_guard lock(mutex_);
  auto next = ranges_.upper_bound(dma_address);
  if (next == ranges_.begin()) return std::nullopt;
  const auto& [start, range] = *std::prev(next);
  const uint64_t offset = dma_address - start;
  if (offset >= range.length || length > range.length - offset) return std::nullopt;
  Range rest = range;
  rest.memory += offset;
  rest.length -= offset;
  rest.file_offset += offset;
  return rest;
}

}  // namespace railgauge::efa
