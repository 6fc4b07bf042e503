// MemoryLocator: where the memory of this process lies on the emulated machine.
//
// What get_user_pages(), the dma-buf exporter and a peer-memory provider tell the driver on real
// machines. The uverbs front end asks; who interposes memory calls (preload) knows.
#ifndef RAILGAUGE_LIB_EMULATOR_UVERBS_MEMORY_LOCATOR_H_
#define RAILGAUGE_LIB_EMULATOR_UVERBS_MEMORY_LOCATOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tl/expected.hpp>
#include <vector>

#include "lib/record/place.h"

namespace railgauge {

struct LocatedMemory {
  struct Segment {
    std::byte* memory = nullptr;  // readable and writable by the device model
    uint64_t length = 0;
    MemoryPlace place;
    // Where the same bytes are to be had by a process that does not see `memory`: a file that lives
    // as long as `keep`. -1: only in this address space.
    int file = -1;
    uint64_t file_offset = 0;
  };
  RegistrationWay way = RegistrationWay::kHost;
  std::vector<Segment> segments;  // in order; never empty
  std::shared_ptr<void> keep;     // what must live as long as the memory is used, if anything
};

class MemoryLocator {
 public:
  virtual ~MemoryLocator() = default;

  // The memory at [address, address + length) of this process. For host memory the segments are the
  // range itself, split where a page lies on another node than the one before. An errno value when
  // the range is no memory that a device can use (EFAULT).
  virtual tl::expected<LocatedMemory, int> Locate(uint64_t address, uint64_t length) = 0;

  // The memory of the dma-buf `fd` from `offset` on. EBADF: no descriptor; EINVAL: no dma-buf, or
  // the range is not inside.
  virtual tl::expected<LocatedMemory, int> LocateDmabuf(int fd, uint64_t offset,
                                                        uint64_t length) = 0;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_UVERBS_MEMORY_LOCATOR_H_
