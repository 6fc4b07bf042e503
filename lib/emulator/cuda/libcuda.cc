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
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "lib/emulator/cuda/gpu_memory.h"
#include "lib/emulator/cuda/visible_devices.h"
#include "lib/emulator/preload/gpu_interface.h"
#include "lib/memory/cuda_abi.h"

struct CUctx_st {
  int device = 0;      // the ordinal that this process sees
  int references = 0;  // of the primary context
};

namespace railgauge {
namespace {

using cuda::CuContext;
using cuda::CuDevice;
using cuda::CuDevicePointer;
using cuda::CuResult;

constexpr uint64_t kPage = 4096;
constexpr int kDriverVersion = 12040;

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
  std::mutex mutex;  // guards the contexts' references
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
  if (handle == nullptr || bytes == 0 || handle_type != cuda::kHandleTypeDmaBufFd || flags != 0)
    return cuda::kErrorInvalidValue;
  if (pointer % kPage != 0 || bytes % kPage != 0) return cuda::kErrorInvalidValue;
  const auto allocation = d->memory->Find(pointer, bytes);
  if (allocation == nullptr) return cuda::kErrorInvalidValue;
  const auto owner = std::find_if(d->devices.begin(), d->devices.end(), [&](const Device& device) {
    return device.gpu == allocation->gpu();
  });
  if (owner == d->devices.end() || owner->facts.supports_dmabuf == 0)
    return cuda::kErrorNotSupported;
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

}  // extern "C"
