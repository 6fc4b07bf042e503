// Edits of what a machine shows of its devices and how they hang together.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "fmt/core.h"
#include "lib/scenario/fault/edit.h"
#include "lib/scenario/fault/machine_parts.h"

namespace railgauge {
namespace {

std::vector<PciAddress> FunctionsOf(const FaultTarget& target) {
  std::vector<PciAddress> functions = target.nics;
  functions.insert(functions.end(), target.gpus.begin(), target.gpus.end());
  return functions;
}

void RemoveFrom(std::vector<EmulatedPciDevice>* devices, const std::vector<PciAddress>& gone) {
  std::erase_if(*devices,
                [&](const EmulatedPciDevice& device) { return Contains(gone, device.address); });
  for (EmulatedPciDevice& device : *devices) RemoveFrom(&device.children, gone);
}

Status RemoveFunctions(const EditArguments& arguments, EmulatedMachine* machine) {
  const std::vector<PciAddress> gone = FunctionsOf(arguments.target());
  for (EmulatedHostBridge& host : machine->host_bridges) RemoveFrom(&host.children, gone);
  const auto is_gone = [&](const auto& device) { return Contains(gone, device.address); };
  std::erase_if(machine->nics, is_gone);
  std::erase_if(machine->gpus, is_gone);
  std::erase_if(machine->accelerators,
                [&](const PciAddress& address) { return Contains(gone, address); });
  const auto names_gone = [&](const auto& entry) {
    const auto& [nic, place] = entry.first;
    return Contains(gone, nic) || (place.is_gpu() && Contains(gone, place.gpu));
  };
  std::erase_if(machine->paths, names_gone);
  std::erase_if(machine->host_and_dmabuf_ids, names_gone);
  std::erase_if(machine->peer_memory_ids, names_gone);
  return {};
}

bool HoldsAny(std::vector<EmulatedPciDevice>& devices, const std::vector<PciAddress>& functions) {
  bool found = false;
  auto visit = [&](const EmulatedPciDevice& device) {
    found = found || Contains(functions, device.address);
  };
  ForEachFunction(devices, visit);
  return found;
}

// A NUMA node is a host bridge's: all that hangs on it loses it.
Status ForgetNumaNodes(const EditArguments& arguments, EmulatedMachine* machine) {
  const std::vector<PciAddress> functions = FunctionsOf(arguments.target());
  for (EmulatedHostBridge& host : machine->host_bridges) {
    if (HoldsAny(host.children, functions)) host.numa_node.reset();
  }
  return {};
}

Status HidePci(const EditArguments&, EmulatedMachine* machine) {
  machine->surroundings.shows_pci = false;
  return {};
}

Status TruncateConfig(const EditArguments&, EmulatedMachine* machine) {
  machine->surroundings.reads_config = false;
  return {};
}

using Moves = std::map<PciAddress, PciAddress>;

void Move(const Moves& moves, PciAddress* address) {
  if (const auto found = moves.find(*address); found != moves.end()) *address = found->second;
}

template <typename T>
void MoveKeys(const Moves& moves, std::map<EmulatedMachine::NicPlace, T>* entries) {
  std::map<EmulatedMachine::NicPlace, T> moved;
  for (auto& [key, value] : *entries) {
    EmulatedMachine::NicPlace pair = key;
    Move(moves, &pair.first);
    if (pair.second.is_gpu()) Move(moves, &pair.second.gpu);
    moved.emplace(pair, std::move(value));
  }
  *entries = std::move(moved);
}

// Names of resources carry addresses: each is replaced once.
void MoveInName(const Moves& moves, std::string* name) {
  constexpr size_t kLength = 12;  // "0000:4f:00.0"
  for (size_t at = 0; at + kLength <= name->size(); ++at) {
    const auto address = PciAddress::Parse(std::string_view(*name).substr(at, kLength));
    if (!address) continue;
    if (const auto found = moves.find(*address); found != moves.end()) {
      name->replace(at, kLength, found->second.ToString());
    }
    at += kLength - 1;
  }
}

void MoveFunctions(const Moves& moves, EmulatedMachine* machine) {
  for (EmulatedNic& nic : machine->nics) Move(moves, &nic.address);
  for (EmulatedGpu& gpu : machine->gpus) Move(moves, &gpu.address);
  for (PciAddress& accelerator : machine->accelerators) Move(moves, &accelerator);
  for (PciAddress& accelerator : machine->accelerators) Move(moves, &accelerator);
  for (EmulatedResource& resource : machine->resources) MoveInName(moves, &resource.name);
  MoveKeys(moves, &machine->paths);
  MoveKeys(moves, &machine->host_and_dmabuf_ids);
  MoveKeys(moves, &machine->peer_memory_ids);
}

// All functions on bus 0 of one host bridge, in their order, eight to a device; no bridge, no NUMA
// node. Names stay, so that a name no longer tells an address.
Status FlattenTree(const EditArguments&, EmulatedMachine* machine) {
  EmulatedHostBridge flat;
  Moves moves;
  bool fits = true;
  ForEachFunction(machine, [&](const EmulatedPciDevice& device) {
    if (device.kind == EmulatedPciDevice::Kind::kBridge) return;
    constexpr size_t kFunctions = 8, kDevices = 32;
    const size_t index = flat.children.size();
    fits = fits && index < kFunctions * kDevices;
    EmulatedPciDevice moved = device;
    moved.address = {0, 0, static_cast<uint8_t>(index / kFunctions % kDevices),
                     static_cast<uint8_t>(index % kFunctions)};
    moves[device.address] = moved.address;
    flat.children.push_back(std::move(moved));
  });
  if (!fits) {
    return Fail(MakeError("", "", "the machine has more functions than a PCI bus",
                          "Take a smaller machine"));
  }
  machine->host_bridges = {std::move(flat)};
  MoveFunctions(moves, machine);
  return {};
}

// What the policies of rdma-core's rdma_rename leave in place of the PCI name.
Status RenameNics(const EditArguments& arguments, EmulatedMachine* machine) {
  const bool kernel = arguments.Word("as") == "kernel";
  size_t index = 0;
  for (EmulatedNic& nic : machine->nics) {
    nic.name = kernel ? fmt::format("efa_{}", index) : fmt::format("rdmao{}", index + 1);
    ++index;
  }
  return {};
}

Status ReverseEnumeration(const EditArguments& arguments, EmulatedMachine* machine) {
  const auto what = arguments.Word("of");
  if (what != "gpus") std::reverse(machine->nics.begin(), machine->nics.end());
  if (what != "nics") std::reverse(machine->gpus.begin(), machine->gpus.end());
  return {};
}

Status RedirectByAcs(const EditArguments& arguments, EmulatedMachine* machine) {
  const auto redirect = [](EmulatedPciDevice& device) {
    if (device.kind == EmulatedPciDevice::Kind::kBridge) device.acs_redirects = true;
  };
  for (const PciAddress& port : arguments.target().ports) {
    EmulatedPciDevice* root = FindFunction(machine, port);
    redirect(*root);
    auto visit = redirect;
    ForEachFunction(root->children, visit);
  }
  return {};
}

constexpr std::string_view kNaming[] = {"kernel", "onboard"};
constexpr EditParameter kAs[] = {{.name = "as", .required = true, .words = kNaming}};
constexpr std::string_view kWhat[] = {"nics", "gpus", "both"};
constexpr EditParameter kOf[] = {{.name = "of", .required = true, .words = kWhat}};

constexpr EditPrimitive kTopologyEdits[] = {
    {"remove_functions", {}, RemoveFunctions},
    {"forget_numa_nodes", {}, ForgetNumaNodes},
    {"hide_pci", {}, HidePci},
    {"truncate_config", {}, TruncateConfig},
    {"flatten_tree", {}, FlattenTree},
    {"rename_nics", kAs, RenameNics},
    {"reverse_enumeration", kOf, ReverseEnumeration},
    {"redirect_by_acs", {}, RedirectByAcs},
};

}  // namespace

std::span<const EditPrimitive> TopologyEdits() { return kTopologyEdits; }

}  // namespace railgauge
