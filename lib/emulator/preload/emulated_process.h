// EmulatedProcess: the emulated machine as this process has it: devices, memory, CPUs.
//
// Made on the first call that needs it, so that a process which only reads files pays nothing;
// never destroyed, since calls come until the very end.
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_EMULATED_PROCESS_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_EMULATED_PROCESS_H_

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "lib/base/result.h"
#include "lib/emulator/fabric/fabric_client.h"
#include "lib/emulator/preload/address_ranges.h"
#include "lib/emulator/preload/counter_files.h"
#include "lib/emulator/preload/executor.h"
#include "lib/emulator/preload/gpu_registry.h"
#include "lib/emulator/preload/numa_placement.h"
#include "lib/emulator/preload/process_memory.h"
#include "lib/emulator/preload/thread_affinity.h"
#include "lib/emulator/uverbs/uverbs_host.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

class EmulatedProcess {
 public:
  // Null when the process is not on an emulated machine, or its machine cannot be read (said once
  // on stderr).
  static EmulatedProcess* Get();
  // What Get made before; does not make it.
  static EmulatedProcess* IfMade();

  const EmulatedMachine& machine() const { return machine_; }
  NumaPlacement& numa() { return numa_; }
  ThreadAffinity& affinity() { return affinity_; }
  GpuRegistry& gpus() { return gpus_; }

  // The calling thread: its emulated CPUs, the node of its CPU, its memory policy.
  ThreadAffinity::Thread ThisThread() const;
  uint32_t CurrentCpu() const;
  // One more than the highest CPU of the machine.
  size_t CpuLimit() const;
  ProcessMemory::Here Here() const;

  // open(2) of uverbs node `index`: a descriptor or a negative errno value. Starts the devices.
  int OpenDevice(size_t index, int flags);
  // The devices, when one was ever opened.
  UverbsHost* host() const { return host_.load(std::memory_order_acquire); }

  // A doorbell page of `fd`'s arena was mapped at `address`, read-only.
  void AddDoorbells(uint64_t address, uint64_t length, uint64_t arena_offset);
  // Mappings in that range are gone or replaced.
  void ForgetMappings(uint64_t address, uint64_t length);
  bool IsDoorbell(uint64_t address) const { return DoorbellOffset(address).has_value(); }
  bool StoreDoorbell(uint64_t address, uint32_t value);

  // The counter files say all that happened until now. A kernel asks the device when such a file is
  // read; without this they lag by as long as the executor, on a busy host, gets no CPU.
  void PublishCounters();

 private:
  explicit EmulatedProcess(EmulatedMachine machine);
  static EmulatedProcess* Make();
  int StartDevices();
  Result<std::unique_ptr<Hardware>> MakeHardware();
  Result<std::unique_ptr<Hardware>> JoinFabric(const std::string& fabric);
  static void LeaveFabricToParent();
  std::optional<uint64_t> DoorbellOffset(uint64_t address) const;

  const EmulatedMachine machine_;
  NumaPlacement numa_;
  ThreadAffinity affinity_;
  GpuRegistry gpus_;
  ProcessMemory memory_;
  CounterFiles counters_;
  Executor executor_;
  std::mutex start_mutex_;
  pid_t started_in_ = 0;
  efa::Fabric* fabric_ = nullptr;   // of devices in this process
  FabricClient* client_ = nullptr;  // of devices in the fabric process
  std::unique_ptr<UverbsHost> owned_host_;
  std::atomic<UverbsHost*> host_{nullptr};
  mutable std::mutex doorbells_mutex_;
  AddressRanges<int64_t> doorbells_;  // value + address is the arena offset
};

// The calling thread's memory policy, as set_mempolicy(2) left it.
NumaPolicy& ThreadPolicy();

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_EMULATED_PROCESS_H_
