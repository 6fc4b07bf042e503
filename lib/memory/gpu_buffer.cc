#include "lib/memory/gpu_buffer.h"

#include <fmt/core.h>

#include <utility>

namespace railgauge {
namespace {

using cuda::CuDevicePointer;
using cuda::CuResult;

// GPU page tables work in 64 KiB and drivers allocate in 2 MiB; whole blocks keep the pages of
// another allocation out of what is exported and pinned.
constexpr uint64_t kBlock = uint64_t{2} << 20;

constexpr uint64_t kWord = 8;  // of the pattern
// Below, a copy is as fast as starting a kernel.
constexpr uint64_t kLeastForGpu = uint64_t{64} << 10;

std::string AllocationAdvice(const CudaGpu& gpu) {
  return fmt::format("Free memory on the GPU (nvidia-smi -i {} shows who uses it)",
                     gpu.address.ToString());
}

}  // namespace

Result<std::unique_ptr<GpuBuffer>> GpuBuffer::Create(const CudaDriver& driver,
                                                     const PciAddress& address, Bytes length) {
  RAILGAUGE_CHECK(length.count > 0);
  const std::string object = MemoryPlace::Gpu(address).ToString();
  const CudaGpu* gpu = driver.FindGpu(address);
  if (gpu == nullptr) {
    return Fail(
        MakeError("allocate GPU memory", object,
                  driver.gpus().empty() ? driver.absence_reason() : "CUDA does not show this GPU",
                  driver.gpus().empty() ? "" : "Check CUDA_VISIBLE_DEVICES"));
  }
  RAILGAUGE_RETURN_IF_ERROR(driver.MakeCurrent(*gpu));
  const cuda::Calls& calls = driver.calls();
  uint64_t rounded = (length.count + kBlock - 1) / kBlock * kBlock;
  CuDevicePointer allocation = 0;
  CuResult result = calls.cuMemAlloc_v2(&allocation, rounded);
  if (result == cuda::kSuccess && allocation % kBlock != 0) {
    // Whole blocks come aligned, but no document promises it.
    calls.cuMemFree_v2(allocation);
    result = calls.cuMemAlloc_v2(&allocation, rounded + kBlock);
  }
  if (result != cuda::kSuccess) {
    return Fail(driver.MakeCudaError(result, fmt::format("cuMemAlloc of {} bytes", rounded), object,
                                     AllocationAdvice(*gpu)));
  }
  const CuDevicePointer pointer = (allocation + kBlock - 1) / kBlock * kBlock;
  std::unique_ptr<GpuBuffer> buffer(new GpuBuffer(driver, *gpu, allocation, pointer, length));
  const unsigned int on = 1;
  result = calls.cuPointerSetAttribute(&on, cuda::kPointerAttributeSyncMemops, allocation);
  if (result != cuda::kSuccess)
    return Fail(driver.MakeCudaError(result, "cuPointerSetAttribute SYNC_MEMOPS", object));
  buffer->ExportDmabuf(rounded);
  return buffer;
}

GpuBuffer::GpuBuffer(const CudaDriver& driver, const CudaGpu& gpu, CuDevicePointer allocation,
                     CuDevicePointer pointer, Bytes length)
    : Buffer(MemoryPlace::Gpu(gpu.address), pointer, length.count),
      driver_(driver),
      gpu_(gpu),
      allocation_(allocation) {}

GpuBuffer::~GpuBuffer() {
  dmabuf_fd_.Reset();
  // Freeing an address of another context is legal, but the thread must have one.
  if (driver_.MakeCurrent(gpu_)) driver_.calls().cuMemFree_v2(allocation_);
}

void GpuBuffer::ExportDmabuf(size_t exported_length) {
  const std::string object = place().ToString();
  if (!gpu_.dmabuf) {
    dmabuf_error_ =
        MakeError("dma-buf export", object, "the CUDA driver says that it cannot export this GPU",
                  "dma-buf needs the open GPU kernel modules and CUDA 11.7 or later");
    return;
  }
  // PCIe is how the NIC comes. Drivers before CUDA 12.8 and platforms that have no other way refuse
  // the flag; without it the mapping is the driver's choice.
  CuResult result = cuda::kSuccess;
  for (const auto& [flags, mapping] :
       {std::pair{cuda::kDmaBufMappingPcie, "pcie"}, std::pair{0ull, "default"}}) {
    int fd = -1;
    result = driver_.calls().cuMemGetHandleForAddressRange(&fd, address(), exported_length,
                                                           cuda::kHandleTypeDmaBufFd, flags);
    if (result != cuda::kSuccess) continue;
    dmabuf_fd_ = UniqueFd(fd);
    dmabuf_mapping_ = mapping;
    return;
  }
  dmabuf_error_ = driver_.MakeCudaError(result, "cuMemGetHandleForAddressRange", object);
}

Status GpuBuffer::CheckOnGpu() {
  RAILGAUGE_ASSIGN_OR_RETURN(pattern_, GpuPattern::Create(driver_, gpu_));
  return {};
}

GpuBuffer::Words GpuBuffer::WordsOf(uint64_t offset, uint64_t length, uint64_t position) const {
  Words words;
  if (pattern_ == nullptr || length < kLeastForGpu) return words;
  words.head = (kWord - position % kWord) % kWord;
  if ((address() + offset + words.head) % kWord != 0) return words;
  words.count = (length - words.head) / kWord;
  words.first = (position + words.head) / kWord;
  return words;
}

Status GpuBuffer::Fill(uint64_t seed, uint64_t offset, uint64_t length, uint64_t position) {
  CheckRange(offset, length);
  const Words words = WordsOf(offset, length, position);
  if (words.count == 0) return Buffer::Fill(seed, offset, length, position);
  const uint64_t tail = words.head + words.count * kWord;
  RAILGAUGE_RETURN_IF_ERROR(Buffer::Fill(seed, offset, words.head, position));
  RAILGAUGE_RETURN_IF_ERROR(
      pattern_->Fill(address() + offset + words.head, words.count, seed, words.first));
  return Buffer::Fill(seed, offset + tail, length - tail, position + tail);
}

Result<std::optional<Buffer::Mismatch>> GpuBuffer::Verify(uint64_t seed, uint64_t offset,
                                                          uint64_t length,
                                                          uint64_t position) const {
  CheckRange(offset, length);
  const Words words = WordsOf(offset, length, position);
  if (words.count == 0) return Buffer::Verify(seed, offset, length, position);
  const uint64_t tail = words.head + words.count * kWord;
  RAILGAUGE_ASSIGN_OR_RETURN(const auto in_head,
                             Buffer::Verify(seed, offset, words.head, position));
  if (in_head) return in_head;
  RAILGAUGE_ASSIGN_OR_RETURN(
      const auto word,
      pattern_->FindMismatch(address() + offset + words.head, words.count, seed, words.first));
  if (!word) return Buffer::Verify(seed, offset + tail, length - tail, position + tail);
  // Which byte of the word, by a copy of it.
  const uint64_t at = words.head + *word * kWord;
  RAILGAUGE_ASSIGN_OR_RETURN(const auto byte,
                             Buffer::Verify(seed, offset + at, kWord, position + at));
  if (byte) return byte;
  return Fail(
      MakeError("compare memory on the GPU", place().ToString(),
                fmt::format("the GPU sees a difference in the 8 bytes at {} that a copy of "
                            "them does not show",
                            offset + at),
                "The GPU or its driver is not to be trusted: look for Xid in the kernel log"));
}

Result<Buffer::Dmabuf> GpuBuffer::dmabuf() const {
  if (!dmabuf_fd_.valid()) return Fail(dmabuf_error_);
  return Dmabuf{.fd = dmabuf_fd_.get(), .offset = 0};
}

Status GpuBuffer::CopyIn(uint64_t offset, std::span<const std::byte> data) {
  CheckRange(offset, data.size());
  RAILGAUGE_RETURN_IF_ERROR(driver_.MakeCurrent(gpu_));
  const CuResult result =
      driver_.calls().cuMemcpyHtoD_v2(address() + offset, data.data(), data.size());
  if (result != cuda::kSuccess)
    return Fail(driver_.MakeCudaError(result, "cuMemcpyHtoD", place().ToString()));
  return {};
}

Status GpuBuffer::CopyOut(uint64_t offset, std::span<std::byte> data) const {
  CheckRange(offset, data.size());
  RAILGAUGE_RETURN_IF_ERROR(driver_.MakeCurrent(gpu_));
  const CuResult result =
      driver_.calls().cuMemcpyDtoH_v2(data.data(), address() + offset, data.size());
  if (result != cuda::kSuccess)
    return Fail(driver_.MakeCudaError(result, "cuMemcpyDtoH", place().ToString()));
  return {};
}

}  // namespace railgauge
