#include "lib/emulator/preload/gpu_interface.h"

#include <cerrno>
#include <cstdio>

#include "lib/emulator/preload/emulated_process.h"
#include "lib/emulator/preload/interpose.h"

using railgauge::EmulatedProcess;

RAILGAUGE_INTERPOSED int RailgaugeEmulatedGpuCount() {
  EmulatedProcess* process = EmulatedProcess::Get();
  return process == nullptr ? 0 : static_cast<int>(process->machine().gpus.size());
}

RAILGAUGE_INTERPOSED int RailgaugeEmulatedGpuGet(int index, RailgaugeEmulatedGpu* gpu) {
  if (index < 0 || index >= RailgaugeEmulatedGpuCount()) return ENODEV;
  const railgauge::EmulatedMachine& machine = EmulatedProcess::Get()->machine();
  const railgauge::EmulatedGpu& emulated = machine.gpus[static_cast<size_t>(index)];
  *gpu = {};
  std::snprintf(gpu->pci_address, sizeof gpu->pci_address, "%s",
                emulated.address.ToString().c_str());
  std::snprintf(gpu->name, sizeof gpu->name, "%s", emulated.name.c_str());
  gpu->memory_bytes = emulated.memory.count;
  gpu->supports_dmabuf = emulated.dmabuf ? 1 : 0;
  gpu->supports_peer_memory = machine.p2p_provider != "none" ? 1 : 0;
  gpu->knows_pcie_mapping = 0;  // libcuda.cc says which CUDA it is: one before the flag
  gpu->orders_writes = 1;       // of data centre GPUs: assumed
  return 0;
}

RAILGAUGE_INTERPOSED int RailgaugeEmulatedGpuRegister(const RailgaugeGpuAllocation* allocation) {
  if (allocation->gpu < 0 || allocation->gpu >= RailgaugeEmulatedGpuCount()) return ENODEV;
  return EmulatedProcess::Get()->gpus().Register(*allocation);
}

RAILGAUGE_INTERPOSED int RailgaugeEmulatedGpuUnregister(uint64_t device_pointer) {
  EmulatedProcess* process = EmulatedProcess::Get();
  return process == nullptr ? ENOENT : process->gpus().Unregister(device_pointer);
}

// What moved since the last publication, for whoever reads the files after this process.
__attribute__((destructor)) static void PublishAtExit() {
  if (EmulatedProcess* process = EmulatedProcess::IfMade()) process->PublishCounters();
}
