// RingMemory: the memory that emulated devices share with user space, as a front end sees it.
//
// One file. What open(2) of an emulated uverbs node returns is a real descriptor of it, and a "mmap
// key" is simply an offset in it, so the mmap(2) of an unmodified provider needs no help.
#ifndef RAILGAUGE_LIB_EMULATOR_UVERBS_RING_MEMORY_H_
#define RAILGAUGE_LIB_EMULATOR_UVERBS_RING_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace railgauge {

class RingMemory {
 public:
  static constexpr uint64_t kPageBytes = 4096;

  virtual ~RingMemory() = default;

  // The offset of a zeroed, page-aligned piece; empty when there is none of that size.
  virtual std::optional<uint64_t> Allocate(uint64_t bytes) = 0;
  // Gives back the piece that starts at `offset`, and its memory.
  virtual void Free(uint64_t offset) = 0;

  virtual std::span<std::byte> At(uint64_t offset, uint64_t bytes) = 0;

  // A new descriptor of the file, or a negative errno value.
  virtual int Duplicate(bool close_on_exec) const = 0;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_UVERBS_RING_MEMORY_H_
