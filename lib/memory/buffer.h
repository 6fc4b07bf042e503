// Buffer: memory in a known place (a NUMA node or a GPU), as the measuring and the census see it.
//
// The two kinds are HostBuffer and GpuBuffer. A Buffer is never copied or moved: verbs objects and
// work requests hold its address. Filling and checking go through CopyIn and CopyOut, so that the
// same code checks host memory, which the CPU can read, and GPU memory, which it cannot.
#ifndef RAILGAUGE_LIB_MEMORY_BUFFER_H_
#define RAILGAUGE_LIB_MEMORY_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lib/base/result.h"
#include "lib/record/place.h"

namespace railgauge {

// Every buffer begins at a multiple of this (bytes).
inline constexpr uint64_t kBufferAlignment = 4096;

class Buffer {
 public:
  // What can be handed to ibv_reg_dmabuf_mr(3).
  struct Dmabuf {
    int fd = -1;          // owned by the buffer
    uint64_t offset = 0;  // of the buffer's first byte within the dma-buf
  };

  // Where the data differs from the pattern first.
  struct Mismatch {
    uint64_t offset = 0;  // in the buffer
    std::byte expected{};
    std::byte found{};
    std::string ToString() const;  // "byte 4096 is 0x00 instead of 0x9e"
  };

  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  virtual ~Buffer() = default;

  const MemoryPlace& place() const { return place_; }
  // What ibv_reg_mr(3) takes and work requests name: a CPU address, or a device pointer.
  uint64_t address() const { return address_; }
  uint64_t length() const { return length_; }  // bytes; as asked for
  // The dma-buf, or why there is none.
  virtual Result<Dmabuf> dmabuf() const = 0;

  // Copies to or from the buffer, synchronously. A range outside of the buffer is a programmer
  // error. Not for use while a device writes to the range.
  virtual Status CopyIn(uint64_t offset, std::span<const std::byte> data) = 0;
  virtual Status CopyOut(uint64_t offset, std::span<std::byte> data) const = 0;

  // Writes bytes [position, position + length) of pattern `seed` (memory/pattern.h) at `offset`.
  // Here by copies; a kind of memory that knows a better way has it.
  virtual Status Fill(uint64_t seed, uint64_t offset, uint64_t length, uint64_t position);
  // Empty when [offset, offset + length) holds exactly that.
  virtual Result<std::optional<Mismatch>> Verify(uint64_t seed, uint64_t offset, uint64_t length,
                                                 uint64_t position) const;

  // The whole buffer, its own offset being the position.
  Status Fill(uint64_t seed) { return Fill(seed, 0, length_, 0); }
  Result<std::optional<Mismatch>> Verify(uint64_t seed) const {
    return Verify(seed, 0, length_, 0);
  }

 protected:
  Buffer(MemoryPlace place, uint64_t address, uint64_t length)
      : place_(place), address_(address), length_(length) {}

  void CheckRange(uint64_t offset, uint64_t length) const;

 private:
  MemoryPlace place_;
  uint64_t address_;
  uint64_t length_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEMORY_BUFFER_H_
