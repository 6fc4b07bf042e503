// DmaSpace: what a DMA address means: host memory behind it, and the place where that memory lies.
//
// The bus and IOMMU of the emulated machine. Thread-safe; ranges never overlap. A front end adds a
// range before it gives its address to the device and removes it after the device gave it back.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_DMA_SPACE_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_DMA_SPACE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "lib/emulator/device/environment.h"
#include "lib/record/place.h"

namespace railgauge::efa {

class DmaSpace {
 public:
  struct Range {
    std::byte* memory = nullptr;
    uint64_t length = 0;
    MemoryPlace place;
    // How the page was brought to the device: peer memory may answer other ids than dma-buf.
    RegistrationWay way = RegistrationWay::kHost;
    MemoryOwner owner = kOwnMemory;  // whose pointer `memory` is
    // The same bytes in a file, for whoever does not share the address space: a descriptor, which
    // the device model never looks at.
    int file = -1;
    uint64_t file_offset = 0;
  };

  // Returns the DMA address of the new range: page-aligned, never 0, not reused soon.
  uint64_t Add(const Range& range);
  void Remove(uint64_t dma_address);

  // The rest of the range from `dma_address` on, when at least `length` bytes lie in one range.
  std::optional<Range> Resolve(uint64_t dma_address, uint64_t length) const;

 private:
  mutable std::mutex mutex_;
  uint64_t next_ = uint64_t{1} << 32;
  std::map<uint64_t, Range> ranges_;  // by first address
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_DMA_SPACE_H_
