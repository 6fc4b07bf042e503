// GpuBuffer: memory of one GPU, exported as a dma-buf where the driver can.
//
// Synchronous memory operations are set on it (CU_POINTER_ATTRIBUTE_SYNC_MEMOPS), as GPUDirect RDMA
// asks for, so that a copy out of it after a transfer sees what the NIC wrote.
#ifndef RAILGAUGE_LIB_MEMORY_GPU_BUFFER_H_
#define RAILGAUGE_LIB_MEMORY_GPU_BUFFER_H_

#include <memory>
#include <span>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/base/unique_fd.h"
#include "lib/base/units.h"
#include "lib/memory/buffer.h"
#include "lib/memory/cuda_driver.h"

namespace railgauge {

class GpuBuffer final : public Buffer {
 public:
  // `length` > 0 bytes on the GPU at `gpu`. A failed dma-buf export is no failure of the buffer:
  // dmabuf() then says why.
  static Result<std::unique_ptr<GpuBuffer>> Create(const CudaDriver& driver, const PciAddress& gpu,
                                                   Bytes length);
  ~GpuBuffer() override;

  Result<Dmabuf> dmabuf() const override;
  Status CopyIn(uint64_t offset, std::span<const std::byte> data) override;
  Status CopyOut(uint64_t offset, std::span<std::byte> data) const override;

 private:
  GpuBuffer(const CudaDriver& driver, const CudaGpu& gpu, cuda::CuDevicePointer allocation,
            cuda::CuDevicePointer pointer, Bytes length);
  void ExportDmabuf(size_t exported_length);

  CudaDriver driver_;
  CudaGpu gpu_;
  cuda::CuDevicePointer allocation_;  // what cuMemFree takes
  UniqueFd dmabuf_fd_;
  Error dmabuf_error_;  // why dmabuf_fd_ is not valid
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEMORY_GPU_BUFFER_H_
