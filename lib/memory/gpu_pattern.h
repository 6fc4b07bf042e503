// GpuPattern: makes and compares the pattern of pattern.h on a GPU, where the data is.
//
// The data then never passes through the CPU, its caches or the GPU's window on PCIe: what is
// compared is what the NIC wrote to the GPU's own memory.
#ifndef RAILGAUGE_LIB_MEMORY_GPU_PATTERN_H_
#define RAILGAUGE_LIB_MEMORY_GPU_PATTERN_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "lib/base/result.h"
#include "lib/memory/cuda_driver.h"

namespace railgauge {

// For one GPU. All calls return when the GPU is done. Any thread, one at a time.
class GpuPattern {
 public:
  // Has the driver compile the kernels. Fails where it cannot (no JIT compiler in this container,
  // a GPU or driver that refuses them): the CPU can do the same with copies.
  static Result<std::unique_ptr<GpuPattern>> Create(const CudaDriver& driver, const CudaGpu& gpu);
  ~GpuPattern();
  GpuPattern(const GpuPattern&) = delete;
  GpuPattern& operator=(const GpuPattern&) = delete;

  // `words` words of 8 bytes from `address` (a multiple of 8) on: words [first, first + words) of
  // pattern `seed`.
  Status Fill(cuda::CuDevicePointer address, uint64_t words, uint64_t seed, uint64_t first);
  // The index of the first of them that is another; empty when none is.
  Result<std::optional<uint64_t>> FindMismatch(cuda::CuDevicePointer address, uint64_t words,
                                               uint64_t seed, uint64_t first);

 private:
  GpuPattern(const CudaDriver& driver, const CudaGpu& gpu) : driver_(driver), gpu_(gpu) {}
  Status Launch(cuda::CuFunction function, uint64_t words, void** parameters, const char* what);
  Error MakeError(cuda::CuResult result, const char* what) const;

  CudaDriver driver_;
  CudaGpu gpu_;
  cuda::CuModule module_ = nullptr;
  cuda::CuFunction fill_ = nullptr;
  cuda::CuFunction check_ = nullptr;
  cuda::CuDevicePointer result_ = 0;  // 8 bytes of the GPU
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEMORY_GPU_PATTERN_H_
