// GpuRegistry: the GPU memory that the emulated libcuda told of (gpu_interface.h).
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_GPU_REGISTRY_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_GPU_REGISTRY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "lib/emulator/preload/gpu_interface.h"

namespace railgauge {

// Thread-safe.
class GpuRegistry {
 public:
  struct Memory {
    uint64_t device_pointer = 0, length = 0;
    int gpu = 0;
    std::shared_ptr<std::byte> bytes;  // our own mapping of all `length`
    int file = -1;                     // the memfd, open as long as `bytes` is held
  };

  // As RailgaugeEmulatedGpuRegister, without the check of the GPU's index.
  int Register(const RailgaugeGpuAllocation& allocation);
  int Unregister(uint64_t device_pointer);

  // The allocation that [address, address + length) touches, whole or in part.
  std::optional<Memory> FindTouched(uint64_t address, uint64_t length) const;

  // The allocation whose memfd it is.
  std::optional<Memory> FindFile(uint64_t device, uint64_t inode) const;

 private:
  using File = std::pair<uint64_t, uint64_t>;
  mutable std::mutex mutex_;
  std::map<uint64_t, Memory> by_pointer_;
  std::map<File, uint64_t> by_file_;  // -> device pointer
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_GPU_REGISTRY_H_
