// GpuMemory: the memory of the emulated GPUs.
//
// One allocation is a memfd with two views. The device pointer is an address range without any
// access, so that the CPU faults on it as it would on GPU memory that is not mapped to it; the
// other view is private to this library and serves copies. The device model maps the memfd on its
// own (preload/gpu_interface.h). A memfd is sparse: what is never written costs no memory of the
// host.
#ifndef RAILGAUGE_LIB_EMULATOR_CUDA_GPU_MEMORY_H_
#define RAILGAUGE_LIB_EMULATOR_CUDA_GPU_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "lib/base/unique_fd.h"

namespace railgauge {

class GpuMemory {
 public:
  static constexpr uint64_t kBlock = uint64_t{2} << 20;  // alignment and granularity, bytes

  class Allocation {
   public:
    Allocation(const Allocation&) = delete;
    Allocation& operator=(const Allocation&) = delete;
    ~Allocation();

    uint64_t device_pointer() const { return reinterpret_cast<uint64_t>(reserved_); }
    uint64_t length() const { return length_; }
    int gpu() const { return gpu_; }
    int memfd() const { return memfd_.get(); }
    std::byte* bytes() const { return bytes_; }  // the private view

    // A descriptor for [offset, length()): its own file description of the memfd, positioned at
    // `offset`. -1 with errno on failure.
    int ExportDmabuf(uint64_t offset) const;

   private:
    friend class GpuMemory;
    Allocation() = default;

    int gpu_ = 0;
    uint64_t length_ = 0;
    UniqueFd memfd_;
    void* reserved_ = nullptr;
    std::byte* bytes_ = nullptr;
  };

  // `capacities`: bytes of memory of each GPU.
  explicit GpuMemory(std::vector<uint64_t> capacities);

  // At least `bytes` (> 0) on GPU `gpu`. Null when it has not as much left or the host gives none.
  // Thread-safe, as everything here; the pointer keeps the allocation alive beyond Free().
  std::shared_ptr<const Allocation> Allocate(int gpu, uint64_t bytes);

  // False when no allocation starts at `device_pointer`.
  bool Free(uint64_t device_pointer);

  // The allocation that holds all of [pointer, pointer + bytes); null when none does.
  std::shared_ptr<const Allocation> Find(uint64_t pointer, uint64_t bytes) const;

 private:
  mutable std::mutex mutex_;
  std::vector<uint64_t> free_bytes_;                                   // by GPU
  std::map<uint64_t, std::shared_ptr<const Allocation>> allocations_;  // by device pointer
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_CUDA_GPU_MEMORY_H_
