// What a run records of its memory: the buffers that it measured with, and what CUDA says of a GPU.
#ifndef RAILGAUGE_LIB_RECORD_MEMORY_FACTS_H_
#define RAILGAUGE_LIB_RECORD_MEMORY_FACTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "lib/base/pci_address.h"
#include "lib/base/units.h"
#include "lib/record/place.h"

namespace railgauge {

struct BufferFacts {
  MemoryPlace place;
  std::string role;  // "under_test", "partner"
  Bytes length;
  std::string pages;  // how host memory was asked for: "huge_tlb", "transparent"; empty for a GPU
  std::optional<double> huge_share;  // 0…1, in huge pages; empty: the kernel does not show it
  // Host memory: whether every page was seen to lie on its node, and why not.
  std::optional<bool> place_verified;
  std::string unverified_reason;
  // GPU memory: what the exported dma-buf is mapped by ("pcie", "default"), or why there is none.
  std::string dmabuf_mapping;
  std::string no_dmabuf_reason;
  // Who makes and compares the data that proves transfers: "gpu", or "copies" and why.
  std::string checked_by;
  std::string checked_by_reason;
};

struct CudaGpuFacts {
  PciAddress address;
  int ordinal = 0;  // in this process: changes with CUDA_VISIBLE_DEVICES
  std::string name;
  Bytes memory;
  // CU_DEVICE_ATTRIBUTE_… in lower case without the prefix; empty: this driver does not know it.
  std::map<std::string, std::optional<int>> attributes;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_RECORD_MEMORY_FACTS_H_
