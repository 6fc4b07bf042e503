// FabricState and DeviceState: everything that the device model remembers. Guarded by the engine's
// lock but for what is const after construction.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_FABRIC_STATE_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_FABRIC_STATE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "lib/emulator/device/admin.h"
#include "lib/emulator/device/ah_table.h"
#include "lib/emulator/device/cq.h"
#include "lib/emulator/device/device.h"
#include "lib/emulator/device/engine.h"
#include "lib/emulator/device/fault_state.h"
#include "lib/emulator/device/mr_table.h"
#include "lib/emulator/device/noise.h"
#include "lib/emulator/device/path.h"
#include "lib/emulator/device/pd_table.h"
#include "lib/emulator/device/qp.h"
#include "lib/emulator/device/region_allocator.h"
#include "lib/emulator/device/uar_table.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge::efa {

// One machine of the fabric.
struct NodeState {
  // Adds the machine's resources to `engine`.
  NodeState(const EmulatedMachine& machine, Engine& engine);

  // Of a healthy line; what SetCapacities made of it.
  BytesPerSecond Capacity(uint32_t resource) const { return capacities[resource]; }

  const EmulatedMachine machine;
  const SimTime base_latency;
  const uint32_t first_resource;           // of the machine's, in the network
  std::vector<BytesPerSecond> capacities;  // by the machine's resource index
};

struct DeviceState {
  DeviceState(FabricState& owner, uint32_t node_index, const EmulatedNic& nic,
              const BarMemory& memory);

  // Null when there is none.
  CompletionQueue* FindCq(uint16_t cq) const { return cq < cqs.size() ? cqs[cq].get() : nullptr; }
  // Writes a completion of one of this device's QPs; counts it when the CQ is full.
  void Complete(uint16_t cq, uint16_t sub_cq, const Completion& completion);
  // Lets the faults of now take effect; returns when to ask again at the latest.
  SimTime AdvanceFaults(SimTime now);

  FabricState& fabric;
  const uint32_t node_index;
  NodeState& node;
  const PciAddress address;
  const EmulatedNicModel model;
  const Gid gid;
  const BarMemory bars;
  PathTable paths;

  PdTable pds;
  UarTable uars;
  MrTable mrs;
  AhTable ahs;
  IdPool cq_numbers;
  std::vector<std::unique_ptr<CompletionQueue>> cqs;  // by number
  QpTable qps;
  RegionAllocator llq;
  DeviceStats stats;
  FaultState faults;
  double foreign_rate = 0;  // that the line has been reduced by
  bool removal_was_told = false;
  const MessageNoise noise;
  uint64_t messages = 0;   // sent so far
  uint64_t in_flight = 0;  // of its transfers, by Engine::Start

  std::unique_ptr<LocalDevice> handle;  // what the front end holds
};

struct FabricState {
  FabricState(std::span<const EmulatedMachine> machines, DmaSpace* dma_space,
              FabricEnvironment environment, std::unique_ptr<TransferHandler> handler);

  // The device with this GID, null when nobody has it.
  DeviceState* FindDevice(const Gid& gid) const;

  DmaSpace& dma_space;
  std::vector<std::unique_ptr<NodeState>> nodes;  // const after construction
  std::unique_ptr<TransferHandler> handler;
  Engine engine;
  std::map<Gid, DeviceState*> by_gid;
  std::vector<std::unique_ptr<DeviceState>> devices;
};

// "fe80:0000:0000:0000:0000:0000:0000:0001" as sysfs shows it, or a shorter IPv6 spelling.
Gid ParseGid(const std::string& text);

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_FABRIC_STATE_H_
