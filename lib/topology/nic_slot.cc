#include "lib/topology/nic_slot.h"

#include <iterator>
#include <set>

#include "fmt/core.h"

namespace railgauge {
namespace {

std::string DeviceAndFunction(const PciAddress& address) {
  return fmt::format("{:02x}.{:x}", address.device, address.function);
}

std::set<std::string> HostBridges(const Machine& machine) {
  std::set<std::string> bridges;
  for (const Nic& nic : machine.nics) bridges.insert(nic.position.host_bridge);
  for (const Gpu& gpu : machine.gpus) bridges.insert(gpu.position.host_bridge);
  for (const Accelerator& one : machine.accelerators) bridges.insert(one.position.host_bridge);
  bridges.erase("");
  return bridges;
}

}  // namespace

std::map<PciAddress, std::string> NicSlots(const Machine& machine) {
  const std::set<std::string> host_bridges = HostBridges(machine);
  std::map<PciAddress, std::string> slots;
  std::map<std::string, size_t> taken;
  for (size_t i = 0; i < machine.nics.size(); ++i) {
    const PciPosition& position = machine.nics[i].position;
    std::string slot = fmt::format("nic{}", i);
    if (const auto found = host_bridges.find(position.host_bridge); found != host_bridges.end()) {
      slot = std::to_string(std::distance(host_bridges.begin(), found));
      for (const PciAddress& bridge : position.bridges) slot += "/" + DeviceAndFunction(bridge);
      slot += "/" + DeviceAndFunction(position.address);
    }
    // Where bridges are hidden, functions of several buses look alike.
    if (const size_t before = taken[slot]++; before > 0) slot += fmt::format("#{}", before + 1);
    slots[position.address] = std::move(slot);
  }
  return slots;
}

}  // namespace railgauge
