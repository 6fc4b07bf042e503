// The few calls of the CUDA driver API that railgauge uses, declared by us.
//
// So that one binary runs with and without a GPU and builds without a toolkit: libcuda.so.1 is
// opened at run time (cuda_driver.h). Source: NVIDIA, CUDA Driver API reference; cuda_abi_test.cc
// holds every type and value against the toolkit's cuda.h where one is installed. Names ending in
// _v2 are the ones that cuda.h maps to on 64-bit systems.
#ifndef RAILGAUGE_LIB_MEMORY_CUDA_ABI_H_
#define RAILGAUGE_LIB_MEMORY_CUDA_ABI_H_

#include <cstddef>

// NVIDIA's own names for what handles point to.
struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;

namespace railgauge::cuda {

using CuResult = int;  // CUresult, an enum there
using CuDevice = int;  // the handle of an ordinal
using CuContext = CUctx_st*;
using CuModule = CUmod_st*;
using CuFunction = CUfunc_st*;
using CuStream = CUstream_st*;
using CuDevicePointer = unsigned long long;  // CUdeviceptr

inline constexpr CuResult kSuccess = 0;
inline constexpr CuResult kErrorInvalidValue = 1;
inline constexpr CuResult kErrorOutOfMemory = 2;
inline constexpr CuResult kErrorNotInitialized = 3;
inline constexpr CuResult kErrorNoDevice = 100;
inline constexpr CuResult kErrorInvalidDevice = 101;
inline constexpr CuResult kErrorInvalidContext = 201;
inline constexpr CuResult kErrorInvalidPtx = 218;
inline constexpr CuResult kErrorJitCompilerNotFound = 221;
inline constexpr CuResult kErrorInvalidHandle = 400;
inline constexpr CuResult kErrorNotFound = 500;
inline constexpr CuResult kErrorIllegalAddress = 700;
inline constexpr CuResult kErrorNotSupported = 801;

// CUdevice_attribute
inline constexpr int kAttributePciBusId = 33;
inline constexpr int kAttributePciDeviceId = 34;
inline constexpr int kAttributePciDomainId = 50;
inline constexpr int kAttributeComputeCapabilityMajor = 75;
inline constexpr int kAttributeComputeCapabilityMinor = 76;
inline constexpr int kAttributeGpuDirectRdmaWithVmm = 110;
inline constexpr int kAttributeGpuDirectRdmaSupported = 116;
inline constexpr int kAttributeGpuDirectRdmaFlushOptions = 117;
inline constexpr int kAttributeGpuDirectRdmaOrdering = 118;
inline constexpr int kAttributeDmaBufSupported = 124;
// CUflushGPUDirectRDMAWritesOptions: cuFlushGPUDirectRDMAWrites works.
inline constexpr int kFlushOptionHost = 1;
// CUGPUDirectRDMAWritesOrdering: a NIC's writes are seen in order by the GPU itself.
inline constexpr int kOrderingOwner = 100;
// CUflushGPUDirectRDMAWritesTarget, …Scope
inline constexpr int kFlushTargetCurrentContext = 0;
inline constexpr int kFlushToOwner = 100;
// CUpointer_attribute
inline constexpr int kPointerAttributeSyncMemops = 6;
// CUmemRangeHandleType
inline constexpr int kHandleTypeDmaBufFd = 1;
// CUmemRangeFlags, from CUDA 12.8 on: mapped over PCIe, which a NIC needs where the GPU also hangs
// on another bus of the CPU (NVLink-C2C of a GB200).
inline constexpr unsigned long long kDmaBufMappingPcie = 1;

// X(name, parameters, required): `name` is the symbol in libcuda.so.1. What is not required is
// newer than the oldest driver that GPU instances with EFA run; without it there is no dma-buf.
#define RAILGAUGE_CUDA_CALLS(X)                                                                    \
  X(cuInit, (unsigned int flags), true)                                                            \
  X(cuDriverGetVersion, (int* version), true)                                                      \
  X(cuGetErrorName, (::railgauge::cuda::CuResult error, const char** name), true)                  \
  X(cuDeviceGetCount, (int* count), true)                                                          \
  X(cuDeviceGet, (::railgauge::cuda::CuDevice * device, int ordinal), true)                        \
  X(cuDeviceGetName, (char* name, int length, ::railgauge::cuda::CuDevice device), true)           \
  X(cuDeviceGetPCIBusId, (char* id, int length, ::railgauge::cuda::CuDevice device), true)         \
  X(cuDeviceGetAttribute, (int* value, int attribute, ::railgauge::cuda::CuDevice device), true)   \
  X(cuDeviceTotalMem_v2, (size_t * bytes, ::railgauge::cuda::CuDevice device), true)               \
  X(cuDevicePrimaryCtxRetain,                                                                      \
    (::railgauge::cuda::CuContext * context, ::railgauge::cuda::CuDevice device), true)            \
  X(cuDevicePrimaryCtxRelease_v2, (::railgauge::cuda::CuDevice device), true)                      \
  X(cuCtxSetCurrent, (::railgauge::cuda::CuContext context), true)                                 \
  X(cuMemAlloc_v2, (::railgauge::cuda::CuDevicePointer * pointer, size_t bytes), true)             \
  X(cuMemFree_v2, (::railgauge::cuda::CuDevicePointer pointer), true)                              \
  X(cuMemcpyHtoD_v2,                                                                               \
    (::railgauge::cuda::CuDevicePointer destination, const void* source, size_t bytes), true)      \
  X(cuMemcpyDtoH_v2, (void* destination, ::railgauge::cuda::CuDevicePointer source, size_t bytes), \
    true)                                                                                          \
  X(cuPointerSetAttribute,                                                                         \
    (const void* value, int attribute, ::railgauge::cuda::CuDevicePointer pointer), true)          \
  X(cuMemGetHandleForAddressRange,                                                                 \
    (void* handle, ::railgauge::cuda::CuDevicePointer pointer, size_t bytes, int handle_type,      \
     unsigned long long flags),                                                                    \
    false)                                                                                         \
  X(cuFlushGPUDirectRDMAWrites, (int target, int scope), false)                                    \
  X(cuModuleLoadData, (::railgauge::cuda::CuModule * module, const void* image), true)             \
  X(cuModuleUnload, (::railgauge::cuda::CuModule module), true)                                    \
  X(cuModuleGetFunction,                                                                           \
    (::railgauge::cuda::CuFunction * function, ::railgauge::cuda::CuModule module,                 \
     const char* name),                                                                            \
    true)                                                                                          \
  X(cuLaunchKernel,                                                                                \
    (::railgauge::cuda::CuFunction function, unsigned int grid_x, unsigned int grid_y,             \
     unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z,        \
     unsigned int shared_bytes, ::railgauge::cuda::CuStream stream, void** parameters,             \
     void** extra),                                                                                \
    true)                                                                                          \
  X(cuCtxSynchronize, (void), true)

// One pointer per call; null when the library lacks a call that is not required.
struct Calls {
#define RAILGAUGE_CUDA_DECLARE(name, parameters, required) CuResult(*name) parameters = nullptr;
  RAILGAUGE_CUDA_CALLS(RAILGAUGE_CUDA_DECLARE)
#undef RAILGAUGE_CUDA_DECLARE
};

}  // namespace railgauge::cuda

#endif  // RAILGAUGE_LIB_MEMORY_CUDA_ABI_H_
