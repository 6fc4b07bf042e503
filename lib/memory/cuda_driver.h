// CudaDriver: the machine's CUDA driver and GPUs, through libcuda.so.1 opened at run time.
//
// A machine without a CUDA driver or without a GPU is a normal one: Open() then gives a driver with
// no GPUs and says why. It is an error only when a driver is there and does not work.
#ifndef RAILGAUGE_LIB_MEMORY_CUDA_DRIVER_H_
#define RAILGAUGE_LIB_MEMORY_CUDA_DRIVER_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/memory/cuda_abi.h"

namespace railgauge {

struct CudaGpu {
  int ordinal = 0;  // as CUDA counts here: changes with CUDA_VISIBLE_DEVICES, so never a key
  PciAddress address;
  std::string name;
  Bytes memory;
  bool dmabuf = false;  // the driver says that it exports dma-bufs of this GPU's memory
  // What it says of its abilities, by CU_DEVICE_ATTRIBUTE_… in lower case without the prefix; empty
  // where it does not know the attribute.
  std::map<std::string, std::optional<int>> attributes;

  // 0 where it is not known.
  int Attribute(const std::string& attribute) const {
    const auto it = attributes.find(attribute);
    return it == attributes.end() ? 0 : it->second.value_or(0);
  }
};

// Copies share one state; the last one gives the contexts back. Thread-safe.
class CudaDriver {
 public:
  // Loads `library` and lists the GPUs; creates no context yet.
  static Result<CudaDriver> Open(const char* library = "libcuda.so.1");
  // As Open(), for callers that go on without GPUs: a driver that does not work counts as absent,
  // its error being the reason.
  static CudaDriver OpenOrAbsent(const char* library = "libcuda.so.1");
  // A driver without GPUs.
  static CudaDriver Absent(std::string reason);

  // In CUDA's order; empty when absent.
  const std::vector<CudaGpu>& gpus() const;
  // Null when CUDA does not show a GPU at that address.
  const CudaGpu* FindGpu(const PciAddress& address) const;
  // Why there are no GPUs; empty when there are.
  const std::string& absence_reason() const;
  // CUDA version that the driver supports, as "12.4"; empty when absent.
  const std::string& version() const;

  // For GpuBuffer. Makes the GPU's primary context current to the calling thread, creating it the
  // first time (slow on hardware: tens to hundreds of milliseconds).
  Status MakeCurrent(const CudaGpu& gpu) const;
  const cuda::Calls& calls() const;
  // An Error from a failed call: reason is "CUDA_ERROR_OUT_OF_MEMORY (2)".
  Error MakeCudaError(cuda::CuResult result, std::string operation, std::string object,
                      std::string advice = "") const;

 private:
  struct State;
  explicit CudaDriver(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEMORY_CUDA_DRIVER_H_
