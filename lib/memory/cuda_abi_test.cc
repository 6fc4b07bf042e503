// Holds cuda_abi.h against the toolkit's cuda.h, at compile time.
#include "lib/memory/cuda_abi.h"

#include <cstdio>
#include <type_traits>

#include "gtest/gtest.h"

#if __has_include(<cuda.h>)
#include <cuda.h>

namespace railgauge::cuda {
namespace {

// We declare enums as int, as the ABI passes them; everything else must be the very type.
template <typename T>
struct AsPassed {
  using type = T;
};
template <typename T>
requires std::is_enum_v<T>
struct AsPassed<T> {
  static_assert(sizeof(T) == sizeof(int));
  using type = int;
};
template <typename R, typename... A>
struct AsPassed<R (*)(A...)> {
  using type = typename AsPassed<R>::type (*)(typename AsPassed<A>::type...);
};

#define RAILGAUGE_EXPAND_(name) #name
#define RAILGAUGE_EXPANDED(name) RAILGAUGE_EXPAND_(name)

static_assert(std::is_same_v<CuDevice, CUdevice>);
static_assert(std::is_same_v<CuContext, CUcontext>);
static_assert(std::is_same_v<CuDevicePointer, CUdeviceptr>);

// Our names are symbols: where cuda.h maps a name to a later version of the symbol, the name with
// its version must be declared all the same.
#define RAILGAUGE_CUDA_CHECK(name, parameters, required)                                  \
  static_assert(std::is_same_v<decltype(Calls::name), AsPassed<decltype(&::name)>::type>, \
                #name " is declared otherwise by cuda.h");
RAILGAUGE_CUDA_CALLS(RAILGAUGE_CUDA_CHECK)

static_assert(kSuccess == CUDA_SUCCESS);
static_assert(kErrorInvalidValue == CUDA_ERROR_INVALID_VALUE);
static_assert(kErrorOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(kErrorNotInitialized == CUDA_ERROR_NOT_INITIALIZED);
static_assert(kErrorNoDevice == CUDA_ERROR_NO_DEVICE);
static_assert(kErrorInvalidDevice == CUDA_ERROR_INVALID_DEVICE);
static_assert(kErrorInvalidContext == CUDA_ERROR_INVALID_CONTEXT);
static_assert(kErrorNotSupported == CUDA_ERROR_NOT_SUPPORTED);
static_assert(kAttributePciBusId == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
static_assert(kAttributePciDeviceId == CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
static_assert(kAttributePciDomainId == CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
static_assert(kAttributeDmaBufSupported == CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED);
static_assert(kPointerAttributeSyncMemops == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS);
static_assert(kErrorInvalidPtx == CUDA_ERROR_INVALID_PTX);
static_assert(kErrorInvalidHandle == CUDA_ERROR_INVALID_HANDLE);
static_assert(kErrorNotFound == CUDA_ERROR_NOT_FOUND);
static_assert(kErrorIllegalAddress == CUDA_ERROR_ILLEGAL_ADDRESS);
static_assert(kAttributeComputeCapabilityMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(kAttributeComputeCapabilityMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(kAttributeGpuDirectRdmaWithVmm ==
              CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED);
static_assert(kAttributeGpuDirectRdmaSupported == CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED);
static_assert(kAttributeGpuDirectRdmaFlushOptions ==
              CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS);
static_assert(kAttributeGpuDirectRdmaOrdering ==
              CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING);
static_assert(kFlushOptionHost == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST);
static_assert(kOrderingOwner == CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER);
static_assert(kFlushTargetCurrentContext == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX);
static_assert(kFlushToOwner == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER);
#if CUDA_VERSION >= 12080
static_assert(kDmaBufMappingPcie == CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE);
#endif
static_assert(kErrorJitCompilerNotFound == CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
static_assert(std::is_same_v<CuModule, CUmodule>);
static_assert(std::is_same_v<CuFunction, CUfunction>);
static_assert(std::is_same_v<CuStream, CUstream>);
static_assert(kHandleTypeDmaBufFd == CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD);

// cuda.h's own mapping leads to the symbols that we name.
TEST(CudaAbiTest, MatchesTheToolkit) {
  EXPECT_STREQ(RAILGAUGE_EXPANDED(cuMemAlloc), "cuMemAlloc_v2");
  EXPECT_STREQ(RAILGAUGE_EXPANDED(cuMemFree), "cuMemFree_v2");
  EXPECT_STREQ(RAILGAUGE_EXPANDED(cuMemcpyHtoD), "cuMemcpyHtoD_v2");
  EXPECT_STREQ(RAILGAUGE_EXPANDED(cuMemcpyDtoH), "cuMemcpyDtoH_v2");
  EXPECT_STREQ(RAILGAUGE_EXPANDED(cuDeviceTotalMem), "cuDeviceTotalMem_v2");
  EXPECT_STREQ(RAILGAUGE_EXPANDED(cuDevicePrimaryCtxRelease), "cuDevicePrimaryCtxRelease_v2");
  std::printf("checked against cuda.h of CUDA %d.%d\n", CUDA_VERSION / 1000,
              CUDA_VERSION % 1000 / 10);
}

}  // namespace
}  // namespace railgauge::cuda

#else

TEST(CudaAbiTest, MatchesTheToolkit) {
  GTEST_SKIP() << "no CUDA toolkit here: <cuda.h> was found neither in $CUDA_HOME/include nor in "
                  "/usr/local/cuda/include";
}

#endif
