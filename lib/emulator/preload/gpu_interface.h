// What the emulated libcuda asks and tells the preload library: which GPUs the emulated machine
// has, and where their memory lies.
//
// Both are shared libraries of one process that must not be linked to each other (libcuda.so.1 is
// opened at run time, or not at all), so this is a C interface found by dlsym(RTLD_DEFAULT, name).
// Where a symbol is missing the process does not run on an emulated machine: cuInit then says
// CUDA_ERROR_NO_DEVICE.
//
// GPU memory is memory of this process in a memfd. One allocation has
//   * a device pointer: a reserved range of addresses that the CPU cannot access (PROT_NONE), as
//     memory of a GPU is;
//   * a memfd, which libcuda maps for its copies and the device model maps on its own for DMA.
//     A dma-buf descriptor of the allocation is a reopened descriptor of it
//     (open("/proc/self/fd/N"): its own file description), positioned by lseek(2) at the start of
//     the exported range. It is recognised by (st_dev, st_ino), so that dup(2) and passing it
//     between threads need no book-keeping.
//
// Every function is safe from any thread. Those that return int answer 0 or an errno value.
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_GPU_INTERFACE_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_GPU_INTERFACE_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct RailgaugeEmulatedGpu {
  char pci_address[32];  // "0000:53:00.0"
  char name[96];         // "NVIDIA H100 80GB HBM3"
  uint64_t memory_bytes;
  int32_t supports_dmabuf;       // CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED
  int32_t supports_peer_memory;  // a p2p provider is there: ibv_reg_mr on a device pointer works
  int32_t knows_pcie_mapping;    // CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE (CUDA 12.8)
  int32_t orders_writes;         // CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER
};

struct RailgaugeGpuAllocation {
  uint64_t device_pointer;  // first address; page-aligned
  uint64_t length;          // bytes; a multiple of the page size
  int32_t memfd;            // its bytes [0, length) are the memory; duplicated by Register
  int32_t gpu;              // index in CUDA order
};

// The number of GPUs of the emulated machine, in CUDA order (before CUDA_VISIBLE_DEVICES, which
// libcuda applies).
int RailgaugeEmulatedGpuCount(void);

// ENODEV when there is no GPU `index`.
int RailgaugeEmulatedGpuGet(int index, struct RailgaugeEmulatedGpu* gpu);

// Makes the allocation known, before its device pointer or a dma-buf descriptor is given away.
// EEXIST when it overlaps a known one, ENODEV, EINVAL.
int RailgaugeEmulatedGpuRegister(const struct RailgaugeGpuAllocation* allocation);

// When the memory is freed. Memory regions that still use it keep their own mapping of the memfd,
// as a pinned page would be kept. ENOENT when no allocation starts there.
int RailgaugeEmulatedGpuUnregister(uint64_t device_pointer);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_GPU_INTERFACE_H_
