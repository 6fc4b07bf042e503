// GpuBuffer: memory of one GPU, exported as a dma-buf where the driver can.
//
// Synchronous memory operations are set on it (CU_POINTER_ATTRIBUTE_SYNC_MEMOPS), as GPUDirect RDMA
// asks for, so that a copy out of it after a transfer sees what the NIC wrote.
#ifndef RAILGAUGE_LIB_MEMORY_GPU_BUFFER_H_
#define RAILGAUGE_LIB_MEMORY_GPU_BUFFER_H_

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/base/unique_fd.h"
#include "lib/base/units.h"
#include "lib/memory/buffer.h"
#include "lib/memory/cuda_driver.h"
#include "lib/memory/gpu_pattern.h"

namespace railgauge {

class GpuBuffer final : public Buffer {
 public:
  // `length` > 0 bytes on the GPU at `gpu`. A failed dma-buf export is no failure of the buffer:
  // dmabuf() then says why.
  static Result<std::unique_ptr<GpuBuffer>> Create(const CudaDriver& driver, const PciAddress& gpu,
                                                   Bytes length);
  ~GpuBuffer() override;

  Result<Dmabuf> dmabuf() const override;
  // How a NIC reaches the dma-buf, as it was exported: "pcie" where the driver knows how to ask for
  // that, "default"; empty when there is none.
  const std::string& dmabuf_mapping() const { return dmabuf_mapping_; }

  // Has the data made and compared on the GPU from now on (gpu_pattern.h). When that is not to be
  // had it goes on by copies, and the Error says why.
  Status CheckOnGpu();

  using Buffer::Fill;
  using Buffer::Verify;
  Status Fill(uint64_t seed, uint64_t offset, uint64_t length, uint64_t position) override;
  Result<std::optional<Mismatch>> Verify(uint64_t seed, uint64_t offset, uint64_t length,
                                         uint64_t position) const override;
  Status CopyIn(uint64_t offset, std::span<const std::byte> data) override;
  Status CopyOut(uint64_t offset, std::span<std::byte> data) const override;

 private:
  GpuBuffer(const CudaDriver& driver, const CudaGpu& gpu, cuda::CuDevicePointer allocation,
            cuda::CuDevicePointer pointer, Bytes length);
  void ExportDmabuf(size_t exported_length);
  // The part of a range that is whole words of the pattern, for the GPU. Empty when the GPU is not
  // to do it.
  struct Words {
    uint64_t head = 0;   // bytes before them
    uint64_t count = 0;  // of 8 bytes each
    uint64_t first = 0;  // number of the first in the pattern
  };
  Words WordsOf(uint64_t offset, uint64_t length, uint64_t position) const;

  CudaDriver driver_;
  CudaGpu gpu_;
  cuda::CuDevicePointer allocation_;     // what cuMemFree takes
  std::unique_ptr<GpuPattern> pattern_;  // null: by copies
  UniqueFd dmabuf_fd_;
  std::string dmabuf_mapping_;
  Error dmabuf_error_;  // why dmabuf_fd_ is not valid
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEMORY_GPU_BUFFER_H_
