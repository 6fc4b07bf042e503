#include "lib/memory/gpu_pattern.h"

#include <utility>

#include "lib/memory/gpu_pattern_ptx.h"

namespace railgauge {
namespace {

using cuda::CuDevicePointer;
using cuda::CuResult;

constexpr unsigned kThreads = 256;  // of a block

}  // namespace

Error GpuPattern::MakeError(CuResult result, const char* what) const {
  return driver_.MakeCudaError(result, what, "gpu:" + gpu_.address.ToString());
}

Result<std::unique_ptr<GpuPattern>> GpuPattern::Create(const CudaDriver& driver,
                                                       const CudaGpu& gpu) {
  RAILGAUGE_RETURN_IF_ERROR(driver.MakeCurrent(gpu));
  const cuda::Calls& calls = driver.calls();
  std::unique_ptr<GpuPattern> pattern(new GpuPattern(driver, gpu));
  if (const CuResult result = calls.cuModuleLoadData(&pattern->module_, GpuPatternPtx().c_str())) {
    pattern->module_ = nullptr;
    return Fail(pattern->MakeError(result, "cuModuleLoadData"));
  }
  for (auto& [function, name] : {std::pair{&pattern->fill_, "railgauge_fill"},
                                 std::pair{&pattern->check_, "railgauge_check"}}) {
    if (const CuResult result = calls.cuModuleGetFunction(function, pattern->module_, name)) {
      return Fail(pattern->MakeError(result, "cuModuleGetFunction"));
    }
  }
  if (const CuResult result = calls.cuMemAlloc_v2(&pattern->result_, sizeof(uint64_t))) {
    pattern->result_ = 0;
    return Fail(pattern->MakeError(result, "cuMemAlloc"));
  }
  return pattern;
}

GpuPattern::~GpuPattern() {
  if (!driver_.MakeCurrent(gpu_)) return;
  if (result_ != 0) driver_.calls().cuMemFree_v2(result_);
  if (module_ != nullptr) driver_.calls().cuModuleUnload(module_);
}

Status GpuPattern::Launch(cuda::CuFunction function, uint64_t words, void** parameters,
                          const char* what) {
  const cuda::Calls& calls = driver_.calls();
  const auto blocks = static_cast<unsigned>((words + kThreads - 1) / kThreads);
  if (const CuResult result = calls.cuLaunchKernel(function, blocks, 1, 1, kThreads, 1, 1, 0,
                                                   nullptr, parameters, nullptr)) {
    return Fail(MakeError(result, what));
  }
  // What goes wrong inside the kernel is told here.
  if (const CuResult result = calls.cuCtxSynchronize()) return Fail(MakeError(result, what));
  return {};
}

Status GpuPattern::Fill(CuDevicePointer address, uint64_t words, uint64_t seed, uint64_t first) {
  if (words == 0) return {};
  RAILGAUGE_RETURN_IF_ERROR(driver_.MakeCurrent(gpu_));
  void* parameters[] = {&address, &words, &seed, &first};
  return Launch(fill_, words, parameters, "fill memory on the GPU");
}

Result<std::optional<uint64_t>> GpuPattern::FindMismatch(CuDevicePointer address, uint64_t words,
                                                         uint64_t seed, uint64_t first) {
  if (words == 0) return std::nullopt;
  RAILGAUGE_RETURN_IF_ERROR(driver_.MakeCurrent(gpu_));
  const cuda::Calls& calls = driver_.calls();
  // Where the GPU itself need not see a NIC's writes in order, it is made to.
  if (gpu_.Attribute("gpu_direct_rdma_writes_ordering") < cuda::kOrderingOwner &&
      (gpu_.Attribute("gpu_direct_rdma_flush_writes_options") & cuda::kFlushOptionHost) != 0 &&
      calls.cuFlushGPUDirectRDMAWrites != nullptr) {
    if (const CuResult result = calls.cuFlushGPUDirectRDMAWrites(cuda::kFlushTargetCurrentContext,
                                                                 cuda::kFlushToOwner)) {
      return Fail(MakeError(result, "cuFlushGPUDirectRDMAWrites"));
    }
  }
  constexpr uint64_t kNone = ~uint64_t{0};
  uint64_t found = kNone;
  if (const CuResult result = calls.cuMemcpyHtoD_v2(result_, &found, sizeof(found))) {
    return Fail(MakeError(result, "cuMemcpyHtoD"));
  }
  void* parameters[] = {&address, &words, &seed, &first, &result_};
  RAILGAUGE_RETURN_IF_ERROR(Launch(check_, words, parameters, "compare memory on the GPU"));
  if (const CuResult result = calls.cuMemcpyDtoH_v2(&found, result_, sizeof(found))) {
    return Fail(MakeError(result, "cuMemcpyDtoH"));
  }
  return found == kNone ? std::nullopt : std::optional(found);
}

}  // namespace railgauge
