// ProcessMemory: where the memory of the running process lies on the emulated machine.
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_PROCESS_MEMORY_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_PROCESS_MEMORY_H_

#include <cstdint>
#include <functional>

#include "lib/emulator/preload/gpu_registry.h"
#include "lib/emulator/preload/numa_placement.h"
#include "lib/emulator/uverbs/memory_locator.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

class ProcessMemory : public MemoryLocator {
 public:
  // The node of the calling thread's CPU, and its policy.
  struct Here {
    uint32_t node = 0;
    NumaPolicy policy;
  };

  ProcessMemory(const EmulatedMachine& machine, const NumaPlacement& numa, const GpuRegistry& gpus,
                std::function<Here()> here)
      : machine_(machine), numa_(numa), gpus_(gpus), here_(std::move(here)) {}

  tl::expected<LocatedMemory, int> Locate(uint64_t address, uint64_t length) override;
  tl::expected<LocatedMemory, int> LocateDmabuf(int fd, uint64_t offset, uint64_t length) override;

 private:
  LocatedMemory InGpu(const GpuRegistry::Memory& memory, uint64_t offset, uint64_t length,
                      RegistrationWay way) const;

  const EmulatedMachine& machine_;
  const NumaPlacement& numa_;
  const GpuRegistry& gpus_;
  const std::function<Here()> here_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_PROCESS_MEMORY_H_
