#include "lib/memory/cuda_driver.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace railgauge {

using cuda::Calls;
using cuda::CuContext;
using cuda::CuDevice;
using cuda::CuResult;

struct CudaDriver::State {
  ~State() {
    for (const auto& [ordinal, context] : contexts) {
      CuDevice device = 0;
      if (calls.cuDeviceGet(&device, ordinal) == cuda::kSuccess)
        calls.cuDevicePrimaryCtxRelease_v2(device);
    }
    // The library stays loaded: its threads and exit handlers do not survive a dlclose.
  }

  Calls calls;
  std::vector<CudaGpu> gpus;
  std::string absence_reason;
  std::string version;
  std::mutex mutex;
  std::map<int, CuContext> contexts;  // retained primary contexts, by ordinal
};

namespace {

// What matters to who lets a NIC write to GPU memory.
constexpr std::pair<const char*, int> kAttributes[] = {
    {"compute_capability_major", cuda::kAttributeComputeCapabilityMajor},
    {"compute_capability_minor", cuda::kAttributeComputeCapabilityMinor},
    {"dma_buf_supported", cuda::kAttributeDmaBufSupported},
    {"gpu_direct_rdma_supported", cuda::kAttributeGpuDirectRdmaSupported},
    {"gpu_direct_rdma_with_cuda_vmm_supported", cuda::kAttributeGpuDirectRdmaWithVmm},
    {"gpu_direct_rdma_flush_writes_options", cuda::kAttributeGpuDirectRdmaFlushOptions},
    {"gpu_direct_rdma_writes_ordering", cuda::kAttributeGpuDirectRdmaOrdering},
};

Status LoadCalls(void* library, const char* name, Calls* calls) {
#define RAILGAUGE_CUDA_LOAD(call, parameters, required)                                           \
  calls->call = reinterpret_cast<decltype(calls->call)>(dlsym(library, #call));                   \
  if ((required) && calls->call == nullptr)                                                       \
    return Fail(MakeError("load the CUDA driver", name, "it lacks " #call,                        \
                          "Install the NVIDIA driver's own libcuda.so.1, version 11.0 or later, " \
                          "or remove what shadows it"));
  RAILGAUGE_CUDA_CALLS(RAILGAUGE_CUDA_LOAD)
#undef RAILGAUGE_CUDA_LOAD
  return {};
}

}  // namespace

Error CudaDriver::MakeCudaError(CuResult result, std::string operation, std::string object,
                                std::string advice) const {
  const char* name = nullptr;
  if (state_->calls.cuGetErrorName == nullptr ||
      state_->calls.cuGetErrorName(result, &name) != cuda::kSuccess || name == nullptr)
    name = "CUDA error";
  return MakeError(std::move(operation), std::move(object), fmt::format("{} ({})", name, result),
                   std::move(advice));
}

CudaDriver CudaDriver::Absent(std::string reason) {
  CudaDriver driver(std::make_shared<State>());
  driver.state_->absence_reason = std::move(reason);
  return driver;
}

CudaDriver CudaDriver::OpenOrAbsent(const char* library) {
  auto driver = Open(library);
  return driver ? *std::move(driver) : Absent(driver.error().ToString());
}

Result<CudaDriver> CudaDriver::Open(const char* library) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* message = dlerror();
    return Absent(fmt::format("no CUDA driver: {}", message != nullptr ? message : library));
  }
  CudaDriver driver(std::make_shared<State>());
  State& state = *driver.state_;
  RAILGAUGE_RETURN_IF_ERROR(LoadCalls(handle, library, &state.calls));
  if (const CuResult result = state.calls.cuInit(0); result == cuda::kErrorNoDevice) {
    return Absent("the CUDA driver shows no GPU (cuInit: CUDA_ERROR_NO_DEVICE)");
  } else if (result != cuda::kSuccess) {
    return Fail(driver.MakeCudaError(result, "cuInit", library,
                                     "nvidia-smi shows whether driver and library fit together"));
  }
  int version = 0;
  if (state.calls.cuDriverGetVersion(&version) == cuda::kSuccess)
    state.version = fmt::format("{}.{}", version / 1000, version % 1000 / 10);

  int count = 0;
  if (const CuResult result = state.calls.cuDeviceGetCount(&count); result != cuda::kSuccess)
    return Fail(driver.MakeCudaError(result, "cuDeviceGetCount", library));
  if (count == 0) return Absent("the CUDA driver shows no GPU (is CUDA_VISIBLE_DEVICES empty?)");
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    const std::string object = fmt::format("gpu{}", ordinal);
    CudaGpu gpu;
    gpu.ordinal = ordinal;
    std::array<char, 256> text{};
    const int text_size = static_cast<int>(text.size());
    CuDevice device = 0;
    if (const CuResult result = state.calls.cuDeviceGet(&device, ordinal))
      return Fail(driver.MakeCudaError(result, "cuDeviceGet", object));
    if (const CuResult result = state.calls.cuDeviceGetPCIBusId(text.data(), text_size, device))
      return Fail(driver.MakeCudaError(result, "cuDeviceGetPCIBusId", object));
    const auto address = PciAddress::ParseLenient(text.data());
    if (!address) {
      return Fail(MakeError("cuDeviceGetPCIBusId", object,
                            fmt::format("'{}' is no PCI address", Printable(text.data()))));
    }
    gpu.address = *address;
    if (const CuResult result = state.calls.cuDeviceGetName(text.data(), text_size, device))
      return Fail(driver.MakeCudaError(result, "cuDeviceGetName", object));
    gpu.name = Printable(text.data());
    size_t memory = 0;
    if (const CuResult result = state.calls.cuDeviceTotalMem_v2(&memory, device))
      return Fail(driver.MakeCudaError(result, "cuDeviceTotalMem", object));
    gpu.memory = Bytes{memory};
    for (const auto& [name, attribute] : kAttributes) {
      int value = 0;
      const CuResult result = state.calls.cuDeviceGetAttribute(&value, attribute, device);
      gpu.attributes[name] =
          result == cuda::kSuccess ? std::optional<int>(value) : std::optional<int>();
    }
    // A driver that does not know the attribute does not have the ability either.
    gpu.dmabuf = gpu.Attribute("dma_buf_supported") != 0 &&
                 state.calls.cuMemGetHandleForAddressRange != nullptr;
    state.gpus.push_back(std::move(gpu));
  }
  return driver;
}

const std::vector<CudaGpu>& CudaDriver::gpus() const { return state_->gpus; }
const std::string& CudaDriver::absence_reason() const { return state_->absence_reason; }
const std::string& CudaDriver::version() const { return state_->version; }
const Calls& CudaDriver::calls() const { return state_->calls; }

const CudaGpu* CudaDriver::FindGpu(const PciAddress& address) const {
  for (const CudaGpu& gpu : state_->gpus)
    if (gpu.address == address) return &gpu;
  return nullptr;
}

Status CudaDriver::MakeCurrent(const CudaGpu& gpu) const {
  State& state = *state_;
  const std::string object = "gpu:" + gpu.address.ToString();
  CuContext context = nullptr;
  {
    std::lock_guard lock(state.mutex);
    CuContext& retained = state.contexts[gpu.ordinal];
    if (retained == nullptr) {
      CuDevice device = 0;
      CuResult result = state.calls.cuDeviceGet(&device, gpu.ordinal);
      if (result == cuda::kSuccess)
        result = state.calls.cuDevicePrimaryCtxRetain(&retained, device);
      if (result != cuda::kSuccess) {
        state.contexts.erase(gpu.ordinal);
        return Fail(MakeCudaError(result, "cuDevicePrimaryCtxRetain", object,
                                  "nvidia-smi shows who uses the GPU and in which compute mode"));
      }
    }
    context = retained;
  }
  if (const CuResult result = state.calls.cuCtxSetCurrent(context))
    return Fail(MakeCudaError(result, "cuCtxSetCurrent", object));
  return {};
}

}  // namespace railgauge
