// The emulated libcuda.so.1: the calls of memory/cuda_abi.h over the emulated machine's GPUs.
//
// What the driver API reference says of a call holds here: the checks before cuInit, the current
// context of a thread, the error of each wrong argument. What the machine has comes from the
// preload library; a process without it sees a driver that finds no GPU. Contexts are the primary
// ones only.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lib/emulator/cuda/gpu_memory.h"
#include "lib/emulator/cuda/ptx_program.h"
#include "lib/emulator/cuda/visible_devices.h"
#include "lib/emulator/preload/gpu_interface.h"
#include "lib/memory/cuda_abi.h"

struct CUctx_st {
  int device = 0;      // the ordinal that this process sees
  int references = 0;  // of the primary context
};

// A module that was loaded, and one of its kernels.
struct CUfunc_st {
  const railgauge::PtxKernel* kernel = nullptr;
};
struct CUmod_st {
  railgauge::PtxProgram program;
  std::map<std::string, CUfunc_st> functions;  // those that were asked for
};

namespace railgauge {
namespace {

using cuda::CuContext;
using cuda::CuDevice;
using cuda::CuDevicePointer;
using cuda::CuResult;

constexpr uint64_t kPage = 4096;
constexpr int kDriverVersion = 12040;
// What GPUs of these machines are seen to answer is not published here: assumed.
constexpr int kComputeCapabilityMajor = 9, kComputeCapabilityMinor = 0;
// "none": as in a container without the driver's JIT compiler.
constexpr char kJitVariable[] = "RAILGAUGE_EMULATED_CUDA_JIT";

struct Interface {
  decltype(&RailgaugeEmulatedGpuCount) count;
  decltype(&RailgaugeEmulatedGpuGet) get;
  decltype(&RailgaugeEmulatedGpuRegister) add;
  decltype(&RailgaugeEmulatedGpuUnregister) remove;
};

template <typename F>
bool FindSymbol(const char* name, F* function) {
  *function = reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
  return *function != nullptr;
}

std::optional<Interface> FindInterface() {
  Interface found;
  if (FindSymbol("RailgaugeEmulatedGpuCount", &found.count) &&
      FindSymbol("RailgaugeEmulatedGpuGet", &found.get) &&
      FindSymbol("RailgaugeEmulatedGpuRegister", &found.add) &&
      FindSymbol("RailgaugeEmulatedGpuUnregister", &found.remove))
    return found;
  return std::nullopt;
}

struct Device {
  int gpu = 0;  // index among the machine's
  RailgaugeEmulatedGpu facts{};
  CUctx_st context;
};

// The driver after cuInit; lives as long as the process.
struct Driver {
  Interface interface;
  std::vector<Device> devices;  // by the ordinal that this process sees
  std::unique_ptr<GpuMemory> memory;
  std::mutex mutex;  // guards what follows, and the contexts' references
  std::vector<std::unique_ptr<CUmod_st>> modules;
  CuResult failed_kernel = cuda::kSuccess;  // told by the next synchronisation
};

std::mutex init_mutex;
Driver* driver = nullptr;  // written once, under init_mutex
// In the static TLS block: LeakSanitizer guesses where a library's dynamic TLS begins, and scans
// wrong addresses when it guesses wrong.
[[gnu::tls_model("initial-exec")]] thread_local CuContext current_context = nullptr;

Driver* Initialised() {
  std::lock_guard lock(init_mutex);
  return driver;
}

// Device `device` in `*found`, or the error.
CuResult FindDevice(CuDevice device, Device** found) {
  Driver* d = Initialised();
  if (d == nullptr) return cuda::kErrorNotInitialized;
  if (device < 0 || static_cast<size_t>(device) >= d->devices.size())
    return cuda::kErrorInvalidDevice;
  *found = &d->devices[static_cast<size_t>(device)];
  return cuda::kSuccess;
}

// The driver in `*found` when this thread has a current context, or the error.
CuResult FindDriverWithContext(Driver** found) {
  *found = Initialised();
  if (*found == nullptr) return cuda::kErrorNotInitialized;
  if (current_context == nullptr) return cuda::kErrorInvalidContext;
  std::lock_guard lock((*found)->mutex);
  return current_context->references > 0 ? cuda::kSuccess : cuda::kErrorInvalidContext;
}

CuResult Initialise() {
  std::lock_guard lock(init_mutex);
  if (driver != nullptr) return cuda::kSuccess;
  const auto interface = FindInterface();
  if (!interface) return cuda::kErrorNoDevice;
  auto made = std::make_unique<Driver>();
  made->interface = *interface;
  const int count = interface->count();
  std::vector<uint64_t> capacities;
  for (int gpu = 0; gpu < count; ++gpu) {
    RailgaugeEmulatedGpu facts{};
    if (interface->get(gpu, &facts) != 0) return cuda::kErrorNoDevice;
    capacities.push_back(facts.memory_bytes);
  }
  for (const int gpu : VisibleDevices(std::getenv("CUDA_VISIBLE_DEVICES"), count)) {
    Device device;
    device.gpu = gpu;
    device.context.device = static_cast<int>(made->devices.size());
    interface->get(gpu, &device.facts);
    made->devices.push_back(device);
  }
  if (made->devices.empty()) return cuda::kErrorNoDevice;
  made->memory = std::make_unique<GpuMemory>(std::move(capacities));
  driver = made.release();
  return cuda::kSuccess;
}

CuResult Allocate(CuDevicePointer* pointer, size_t bytes) {
  Driver* d = nullptr;
  if (const CuResult error = FindDriverWithContext(&d)) return error;
  if (pointer == nullptr || bytes == 0) return cuda::kErrorInvalidValue;
  const int gpu = d->devices[static_cast<size_t>(current_context->device)].gpu;
  const auto allocation = d->memory->Allocate(gpu, bytes);
  if (allocation == nullptr) return cuda::kErrorOutOfMemory;
  const RailgaugeGpuAllocation record{.device_pointer = allocation->device_pointer(),
                                      .length = allocation->length(),
                                      .memfd = allocation->memfd(),
                                      .gpu = gpu};
  if (d->interface.add(&record) != 0) {
    d->memory->Free(allocation->device_pointer());
    return cuda::kErrorOutOfMemory;
  }
  *pointer = allocation->device_pointer();
  return cuda::kSuccess;
}

CuResult Export(void* handle, CuDevicePointer pointer, size_t bytes, int handle_type,
                unsigned long long flags) {
  Driver* d = nullptr;
  if (const CuResult error = FindDriverWithContext(&d)) return error;
  if (handle == nullptr || bytes == 0 || handle_type != cuda::kHandleTypeDmaBufFd ||
      (flags & ~cuda::kDmaBufMappingPcie) != 0) {
    return cuda::kErrorInvalidValue;
  }
  if (pointer % kPage != 0 || bytes % kPage != 0) return cuda::kErrorInvalidValue;
  const auto allocation = d->memory->Find(pointer, bytes);
  if (allocation == nullptr) return cuda::kErrorInvalidValue;
  const auto owner = std::find_if(d->devices.begin(), d->devices.end(), [&](const Device& device) {
    return device.gpu == allocation->gpu();
  });
  if (owner == d->devices.end() || owner->facts.supports_dmabuf == 0)
    return cuda::kErrorNotSupported;
  if (flags != 0 && owner->facts.knows_pcie_mapping == 0) return cuda::kErrorInvalidValue;
  const int fd = allocation->ExportDmabuf(pointer - allocation->device_pointer());
  if (fd < 0) return cuda::kErrorOutOfMemory;
  std::memcpy(handle, &fd, sizeof(fd));
  return cuda::kSuccess;
}

// Where the bytes of [pointer, pointer + bytes) are, in `*found`, kept alive by `*keep`.
CuResult FindBytes(CuDevicePointer pointer, size_t bytes, std::byte** found,
                   std::shared_ptr<const GpuMemory::Allocation>* keep) {
  Driver* d = nullptr;
  if (const CuResult error = FindDriverWithContext(&d)) return error;
  *keep = d->memory->Find(pointer, bytes);
  if (*keep == nullptr) return cuda::kErrorInvalidValue;
  *found = (*keep)->bytes() + (pointer - (*keep)->device_pointer());
  return cuda::kSuccess;
}

CuResult LoadModule(cuda::CuModule* module, const void* image) {
  Driver* d = nullptr;
  if (const CuResult error = FindDriverWithContext(&d)) return error;
  if (module == nullptr || image == nullptr) return cuda::kErrorInvalidValue;
  if (const char* jit = std::getenv(kJitVariable);
      jit != nullptr && std::strcmp(jit, "none") == 0) {
    return cuda::kErrorJitCompilerNotFound;
  }
  auto program = PtxProgram::Parse(static_cast<const char*>(image));
  if (!program) {
    std::fprintf(stderr, "emulated CUDA: %s\n", program.error().ToString().c_str());
    return cuda::kErrorInvalidPtx;
  }
  std::lock_guard lock(d->mutex);
  d->modules.push_back(std::make_unique<CUmod_st>(CUmod_st{*std::move(program), {}}));
  *module = d->modules.back().get();
  return cuda::kSuccess;
}

// The module in `*found`; `d->mutex` is held.
CuResult FindModule(Driver* d, cuda::CuModule module, size_t* found) {
  for (*found = 0; *found < d->modules.size(); ++*found) {
    if (d->modules[*found].get() == module) return cuda::kSuccess;
  }
  return cuda::kErrorInvalidHandle;
}

// Whether it is a kernel of a module that is loaded.
const PtxKernel* KernelOf(Driver* d, cuda::CuFunction function) {
  std::lock_guard lock(d->mutex);
  for (const auto& module : d->modules) {
    for (const auto& [name, candidate] : module->functions) {
      if (&candidate == function) return candidate.kernel;
    }
  }
  return nullptr;
}

CuResult Launch(cuda::CuFunction function, unsigned blocks, unsigned threads, void** parameters) {
  Driver* d = nullptr;
  if (const CuResult error = FindDriverWithContext(&d)) return error;
  const PtxKernel* const kernel = KernelOf(d, function);
  if (kernel == nullptr) return cuda::kErrorInvalidHandle;
  constexpr unsigned kMostThreads = 1024;
  if (blocks == 0 || threads == 0 || threads > kMostThreads || parameters == nullptr) {
    return cuda::kErrorInvalidValue;
  }
  std::vector<uint64_t> values(kernel->parameter_count());
  for (size_t i = 0; i < values.size(); ++i) std::memcpy(&values[i], parameters[i], 8);
  // Kernels touch one allocation after the other, and each many times.
  std::vector<std::shared_ptr<const GpuMemory::Allocation>> known;
  const auto memory = [&](uint64_t address, uint64_t bytes) -> std::byte* {
    for (const auto& allocation : known) {
      const uint64_t offset = address - allocation->device_pointer();
      if (offset < allocation->length() && bytes <= allocation->length() - offset) {
        return allocation->bytes() + offset;
      }
    }
    auto found = d->memory->Find(address, bytes);
    if (found == nullptr) return nullptr;
    known.push_back(found);
    return found->bytes() + (address - found->device_pointer());
  };
  if (!kernel->Run(blocks, threads, values, memory)) {
    std::lock_guard lock(d->mutex);
    d->failed_kernel = cuda::kErrorIllegalAddress;
  }
  return cuda::kSuccess;
}

}  // namespace
}  // namespace railgauge

using namespace railgauge;  // NOLINT: everything below is global by its nature

extern "C" {

// Declared first, so that a definition that differs from cuda_abi.h does not compile.
#define RAILGAUGE_CUDA_DECLARE(name, parameters, required) CuResult name parameters;
RAILGAUGE_CUDA_CALLS(RAILGAUGE_CUDA_DECLARE)
#undef RAILGAUGE_CUDA_DECLARE

CuResult cuInit(unsigned int flags) { return flags == 0 ? Initialise() : cuda::kErrorInvalidValue; }

CuResult cuDriverGetVersion(int* version) {
  if (version == nullptr) return cuda::kErrorInvalidValue;
  *version = kDriverVersion;
  return cuda::kSuccess;
}

CuResult cuGetErrorName(CuResult error, const char** name) {
  if (name == nullptr) return cuda::kErrorInvalidValue;
  switch (error) {
    case cuda::kSuccess:
      *name = "CUDA_SUCCESS";
      break;
    case cuda::kErrorInvalidValue:
      *name = "CUDA_ERROR_INVALID_VALUE";
      break;
    case cuda::kErrorOutOfMemory:
      *name = "CUDA_ERROR_OUT_OF_MEMORY";
      break;
    case cuda::kErrorNotInitialized:
      *name = "CUDA_ERROR_NOT_INITIALIZED";
      break;
    case cuda::kErrorNoDevice:
      *name = "CUDA_ERROR_NO_DEVICE";
      break;
    case cuda::kErrorInvalidDevice:
      *name = "CUDA_ERROR_INVALID_DEVICE";
      break;
    case cuda::kErrorInvalidContext:
      *name = "CUDA_ERROR_INVALID_CONTEXT";
      break;
    case cuda::kErrorInvalidPtx:
      *name = "CUDA_ERROR_INVALID_PTX";
      break;
    case cuda::kErrorJitCompilerNotFound:
      *name = "CUDA_ERROR_JIT_COMPILER_NOT_FOUND";
      break;
    case cuda::kErrorInvalidHandle:
      *name = "CUDA_ERROR_INVALID_HANDLE";
      break;
    case cuda::kErrorNotFound:
      *name = "CUDA_ERROR_NOT_FOUND";
      break;
    case cuda::kErrorIllegalAddress:
      *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
      break;
    case cuda::kErrorNotSupported:
      *name = "CUDA_ERROR_NOT_SUPPORTED";
      break;
    default:
      *name = nullptr;
      return cuda::kErrorInvalidValue;
  }
  return cuda::kSuccess;
}

CuResult cuDeviceGetCount(int* count) {
  const Driver* d = Initialised();
  if (d == nullptr) return cuda::kErrorNotInitialized;
  if (count == nullptr) return cuda::kErrorInvalidValue;
  *count = static_cast<int>(d->devices.size());
  return cuda::kSuccess;
}

CuResult cuDeviceGet(CuDevice* device, int ordinal) {
  Device* found = nullptr;
  if (const CuResult error = FindDevice(ordinal, &found)) return error;
  if (device == nullptr) return cuda::kErrorInvalidValue;
  *device = ordinal;
  return cuda::kSuccess;
}

CuResult cuDeviceGetName(char* name, int length, CuDevice device) {
  Device* found = nullptr;
  if (const CuResult error = FindDevice(device, &found)) return error;
  if (name == nullptr || length <= 0) return cuda::kErrorInvalidValue;
  std::snprintf(name, static_cast<size_t>(length), "%s", found->facts.name);
  return cuda::kSuccess;
}

CuResult cuDeviceGetPCIBusId(char* id, int length, CuDevice device) {
  Device* found = nullptr;
  if (const CuResult error = FindDevice(device, &found)) return error;
  if (id == nullptr || length <= static_cast<int>(std::strlen(found->facts.pci_address)))
    return cuda::kErrorInvalidValue;
  std::snprintf(id, static_cast<size_t>(length), "%s", found->facts.pci_address);
  return cuda::kSuccess;
}

CuResult cuDeviceGetAttribute(int* value, int attribute, CuDevice device) {
  Device* found = nullptr;
  if (const CuResult error = FindDevice(device, &found)) return error;
  if (value == nullptr) return cuda::kErrorInvalidValue;
  unsigned int domain = 0, bus = 0, slot = 0;
  std::sscanf(found->facts.pci_address, "%x:%x:%x", &domain, &bus, &slot);
  switch (attribute) {
    case cuda::kAttributePciDomainId:
      *value = static_cast<int>(domain);
      break;
    case cuda::kAttributePciBusId:
      *value = static_cast<int>(bus);
      break;
    case cuda::kAttributePciDeviceId:
      *value = static_cast<int>(slot);
      break;
    case cuda::kAttributeDmaBufSupported:
      *value = found->facts.supports_dmabuf;
      break;
    case cuda::kAttributeComputeCapabilityMajor:
      *value = kComputeCapabilityMajor;
      break;
    case cuda::kAttributeComputeCapabilityMinor:
      *value = kComputeCapabilityMinor;
      break;
    case cuda::kAttributeGpuDirectRdmaSupported:
    case cuda::kAttributeGpuDirectRdmaWithVmm:
      *value = 1;
      break;
    case cuda::kAttributeGpuDirectRdmaFlushOptions:
      *value = cuda::kFlushOptionHost;
      break;
    case cuda::kAttributeGpuDirectRdmaOrdering:
      *value = found->facts.orders_writes != 0 ? cuda::kOrderingOwner : 0;
      break;
    default:
      return cuda::kErrorInvalidValue;
  }
  return cuda::kSuccess;
}

CuResult cuDeviceTotalMem_v2(size_t* bytes, CuDevice device) {
  Device* found = nullptr;
  if (const CuResult error = FindDevice(device, &found)) return error;
  if (bytes == nullptr) return cuda::kErrorInvalidValue;
  *bytes = found->facts.memory_bytes;
  return cuda::kSuccess;
}

CuResult cuDevicePrimaryCtxRetain(CuContext* context, CuDevice device) {
  Device* found = nullptr;
  if (const CuResult error = FindDevice(device, &found)) return error;
  if (context == nullptr) return cuda::kErrorInvalidValue;
  std::lock_guard lock(Initialised()->mutex);
  ++found->context.references;
  *context = &found->context;
  return cuda::kSuccess;
}

CuResult cuDevicePrimaryCtxRelease_v2(CuDevice device) {
  Device* found = nullptr;
  if (const CuResult error = FindDevice(device, &found)) return error;
  std::lock_guard lock(Initialised()->mutex);
  if (found->context.references == 0) return cuda::kErrorInvalidContext;
  --found->context.references;
  return cuda::kSuccess;
}

CuResult cuCtxSetCurrent(CuContext context) {
  if (Initialised() == nullptr) return cuda::kErrorNotInitialized;
  current_context = context;
  return cuda::kSuccess;
}

CuResult cuMemAlloc_v2(CuDevicePointer* pointer, size_t bytes) { return Allocate(pointer, bytes); }

CuResult cuMemFree_v2(CuDevicePointer pointer) {
  Driver* d = nullptr;
  if (const CuResult error = FindDriverWithContext(&d)) return error;
  // Known to the device model as long as it can be found here, and no longer: its addresses may be
  // another allocation's right after Free().
  const auto allocation = d->memory->Find(pointer, 1);
  if (allocation == nullptr || allocation->device_pointer() != pointer)
    return cuda::kErrorInvalidValue;
  d->interface.remove(pointer);
  return d->memory->Free(pointer) ? cuda::kSuccess : cuda::kErrorInvalidValue;
}

CuResult cuMemcpyHtoD_v2(CuDevicePointer destination, const void* source, size_t bytes) {
  std::byte* found = nullptr;
  std::shared_ptr<const GpuMemory::Allocation> keep;
  if (const CuResult error = FindBytes(destination, bytes, &found, &keep)) return error;
  std::memcpy(found, source, bytes);
  return cuda::kSuccess;
}

CuResult cuMemcpyDtoH_v2(void* destination, CuDevicePointer source, size_t bytes) {
  std::byte* found = nullptr;
  std::shared_ptr<const GpuMemory::Allocation> keep;
  if (const CuResult error = FindBytes(source, bytes, &found, &keep)) return error;
  std::memcpy(destination, found, bytes);
  return cuda::kSuccess;
}

CuResult cuPointerSetAttribute(const void* value, int attribute, CuDevicePointer pointer) {
  std::byte* found = nullptr;
  std::shared_ptr<const GpuMemory::Allocation> keep;
  if (value == nullptr || attribute != cuda::kPointerAttributeSyncMemops)
    return cuda::kErrorInvalidValue;
  return FindBytes(pointer, 1, &found, &keep);  // copies are always synchronous here
}

CuResult cuMemGetHandleForAddressRange(void* handle, CuDevicePointer pointer, size_t bytes,
                                       int handle_type, unsigned long long flags) {
  return Export(handle, pointer, bytes, handle_type, flags);
}

CuResult cuFlushGPUDirectRDMAWrites(int target, int scope) {
  Driver* d = nullptr;
  if (const CuResult error = FindDriverWithContext(&d)) return error;
  const bool known = target == cuda::kFlushTargetCurrentContext && scope == cuda::kFlushToOwner;
  return known ? cuda::kSuccess : cuda::kErrorInvalidValue;  // DMA here is in order and done
}

CuResult cuModuleLoadData(cuda::CuModule* module, const void* image) {
  return LoadModule(module, image);
}

CuResult cuModuleUnload(cuda::CuModule module) {
  Driver* d = nullptr;
  if (const CuResult error = FindDriverWithContext(&d)) return error;
  std::lock_guard lock(d->mutex);
  size_t at = 0;
  if (const CuResult error = FindModule(d, module, &at)) return error;
  d->modules.erase(d->modules.begin() + static_cast<std::ptrdiff_t>(at));
  return cuda::kSuccess;
}

CuResult cuModuleGetFunction(cuda::CuFunction* function, cuda::CuModule module, const char* name) {
  Driver* d = nullptr;
  if (const CuResult error = FindDriverWithContext(&d)) return error;
  if (function == nullptr || name == nullptr) return cuda::kErrorInvalidValue;
  std::lock_guard lock(d->mutex);
  size_t at = 0;
  if (const CuResult error = FindModule(d, module, &at)) return error;
  const PtxKernel* const kernel = module->program.Find(name);
  if (kernel == nullptr) return cuda::kErrorNotFound;
  *function = &(module->functions[name] = {kernel});
  return cuda::kSuccess;
}

// Runs the kernel before it returns; what it did wrong is told by the next synchronisation, as of
// one that runs meanwhile.
CuResult cuLaunchKernel(cuda::CuFunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared_bytes, cuda::CuStream stream,
                        void** parameters, void** extra) {
  if (grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1 || shared_bytes != 0 ||
      stream != nullptr || extra != nullptr) {
    return cuda::kErrorNotSupported;
  }
  return Launch(function, grid_x, block_x, parameters);
}

CuResult cuCtxSynchronize() {
  Driver* d = nullptr;
  if (const CuResult error = FindDriverWithContext(&d)) return error;
  std::lock_guard lock(d->mutex);
  return d->failed_kernel;  // and the context stays broken, as a real one does
}

}  // extern "C"
