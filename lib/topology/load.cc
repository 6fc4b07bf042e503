#include "lib/topology/load.h"

#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <optional>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "lib/base/file.h"
#include "lib/topology/hwloc_topology.h"
#include "lib/topology/recorded_facts.h"
#include "lib/topology/sysfs_facts.h"
#include "lib/topology/sysfs_numa.h"

namespace railgauge {
namespace {

constexpr uint16_t kVendorAmazon = 0x1d0f;
constexpr uint16_t kVendorNvidia = 0x10de;
constexpr uint16_t kFirstEfaDevice = 0xefa0;
constexpr uint16_t kLastEfaDevice = 0xefa4;
constexpr uint16_t kClassVga = 0x0300;
constexpr uint16_t kClass3dController = 0x0302;
constexpr uint16_t kClassSystemPeripheral = 0x0880;
constexpr uint16_t kBaseClassAccelerator = 0x12;  // "processing accelerator"

std::string InfoOfMachine(hwloc_topology_t topology, const char* name) {
  const char* value = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), name);
#if HWLOC_API_VERSION >= 0x00030000
  // hwloc 3 keeps what describes the whole machine with the topology.
  if (value == nullptr) value = hwloc_get_info_by_name(hwloc_topology_get_infos(topology), name);
#endif
  return value != nullptr ? value : "";
}

bool IsOpenFabrics(const hwloc_obj* device) {
#if HWLOC_API_VERSION >= 0x00030000
  return (device->attr->osdev.types & HWLOC_OBJ_OSDEV_OPENFABRICS) != 0;
#else
  return device->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS;
#endif
}

// The name of the OpenFabrics device below a PCI function; none when ibverbs does not show it.
std::optional<std::string> OpenFabricsName(const hwloc_obj* pci_device) {
  for (const hwloc_obj* child = pci_device->io_first_child; child != nullptr;
       child = child->next_sibling) {
    if (child->type == HWLOC_OBJ_OS_DEVICE && IsOpenFabrics(child)) {
      return child->name != nullptr ? child->name : "";
    }
  }
  return std::nullopt;
}

// Neuron devices (Inferentia, Trainium) are system peripherals of Amazon with numbers from 7000 on.
bool IsNeuron(const hwloc_obj_attr_u::hwloc_pcidev_attr_s& pci) {
  return pci.vendor_id == kVendorAmazon && pci.class_id == kClassSystemPeripheral &&
         pci.device_id >> 12 == 7;
}

// Of what is no CUDA GPU.
bool IsAccelerator(const hwloc_obj_attr_u::hwloc_pcidev_attr_s& pci) {
  return IsNeuron(pci) || pci.class_id >> 8 == kBaseClassAccelerator ||
         pci.class_id == kClass3dController;
}

PciAddress AddressOf(const hwloc_obj_attr_u::hwloc_pcidev_attr_s& pci) {
  return {pci.domain, pci.bus, pci.dev, pci.func};
}

// hwloc has gigabytes per second, and 0 where sysfs says "Unknown" or a width of 255.
std::optional<BytesPerSecond> LinkSpeedOf(const hwloc_obj_attr_u::hwloc_pcidev_attr_s& pci) {
  if (!(pci.linkspeed > 0)) return std::nullopt;
  return BytesPerSecond{static_cast<double>(pci.linkspeed) * 1e9};
}

// The NUMA node of what a host bridge hangs on: the one node with CPUs in its node set. Nodes
// without CPUs are no choice (GB200 lists 32 such nodes for its GPUs beside the two real ones).
std::optional<uint32_t> NumaNodeOf(const hwloc_obj* object, const Machine& machine) {
  if (object == nullptr || object->nodeset == nullptr) return std::nullopt;
  std::optional<uint32_t> only;
  for (const NumaNode& node : machine.numa_nodes) {
    if (node.cpus.empty() || !hwloc_bitmap_isset(object->nodeset, node.os_index)) continue;
    if (only) return std::nullopt;
    only = node.os_index;
  }
  return only;
}

PciPosition PositionOf(const hwloc_obj* pci_device, const Machine& machine) {
  PciPosition position;
  position.address = AddressOf(pci_device->attr->pcidev);
  position.link_speed = LinkSpeedOf(pci_device->attr->pcidev);
  const hwloc_obj* above = pci_device->parent;
  for (; above != nullptr && above->type == HWLOC_OBJ_BRIDGE; above = above->parent) {
    const hwloc_obj_attr_u::hwloc_bridge_attr_s& bridge = above->attr->bridge;
    if (bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI) {
      position.bridges.push_back(AddressOf(bridge.upstream.pci));
    } else if (bridge.downstream_type == HWLOC_OBJ_BRIDGE_PCI) {
      position.host_bridge = fmt::format("{:04x}:{:02x}", bridge.downstream.pci.domain,
                                         bridge.downstream.pci.secondary_bus);
    }
  }
  std::reverse(position.bridges.begin(), position.bridges.end());
  position.numa_node = NumaNodeOf(above, machine);
  return position;
}

void ReadNumaNodes(hwloc_topology_t topology, Machine& machine) {
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    std::vector<uint32_t> cpus;
    if (node->cpuset != nullptr && hwloc_bitmap_weight(node->cpuset) > 0) {
      for (int cpu = hwloc_bitmap_first(node->cpuset); cpu >= 0;
           cpu = hwloc_bitmap_next(node->cpuset, cpu)) {
        cpus.push_back(static_cast<uint32_t>(cpu));
      }
    }
    machine.numa_nodes.push_back(
        {node->os_index, Bytes{node->attr->numanode.local_memory}, std::move(cpus)});
  }
  std::sort(machine.numa_nodes.begin(), machine.numa_nodes.end(),
            [](const NumaNode& a, const NumaNode& b) { return a.os_index < b.os_index; });
}

std::string ModelOf(hwloc_obj_t pci_device) {
  const char* model = hwloc_obj_get_info_by_name(pci_device, "PCIDevice");
  return model != nullptr ? model : "";
}

void ReadPciDevices(hwloc_topology_t topology, Machine& machine) {
  for (hwloc_obj_t device = nullptr;
       (device = hwloc_get_next_pcidev(topology, device)) != nullptr;) {
    machine.shows_pci = true;
    const hwloc_obj_attr_u::hwloc_pcidev_attr_s& pci = device->attr->pcidev;
    const std::optional<std::string> rdma_name = OpenFabricsName(device);
    if (pci.vendor_id == kVendorAmazon && pci.device_id >= kFirstEfaDevice &&
        pci.device_id <= kLastEfaDevice) {
      machine.nics.push_back({PositionOf(device, machine), pci.device_id, rdma_name.value_or("")});
    } else if (pci.vendor_id == kVendorNvidia &&
               (pci.class_id == kClass3dController || pci.class_id == kClassVga)) {
      machine.gpus.push_back(
          {PositionOf(device, machine), pci.vendor_id, pci.device_id, ModelOf(device)});
    } else if (IsAccelerator(pci)) {
      machine.accelerators.push_back(
          {PositionOf(device, machine), pci.vendor_id, pci.device_id, ModelOf(device)});
    } else if (rdma_name) {
      machine.other_rdma_devices.push_back(AddressOf(pci));
    }
  }
  const auto by_address = [](const auto& a, const auto& b) {
    return a.position.address < b.position.address;
  };
  std::sort(machine.nics.begin(), machine.nics.end(), by_address);
  std::sort(machine.gpus.begin(), machine.gpus.end(), by_address);
  std::sort(machine.accelerators.begin(), machine.accelerators.end(), by_address);
  std::sort(machine.other_rdma_devices.begin(), machine.other_rdma_devices.end());
}

// The position of every NIC, GPU and accelerator, for what is done to all of them.
std::vector<PciPosition*> Positions(Machine& machine) {
  std::vector<PciPosition*> positions;
  for (Nic& nic : machine.nics) positions.push_back(&nic.position);
  for (Gpu& gpu : machine.gpus) positions.push_back(&gpu.position);
  for (Accelerator& item : machine.accelerators) positions.push_back(&item.position);
  return positions;
}

// The bridges that NICs, GPUs and accelerators are below.
void ReadBridges(hwloc_topology_t topology, Machine& machine) {
  const std::vector<PciPosition*> positions = Positions(machine);
  for (hwloc_obj_t bridge = nullptr;
       (bridge = hwloc_get_next_bridge(topology, bridge)) != nullptr;) {
    if (bridge->attr->bridge.upstream_type != HWLOC_OBJ_BRIDGE_PCI) continue;
    const hwloc_obj_attr_u::hwloc_pcidev_attr_s& pci = bridge->attr->bridge.upstream.pci;
    const PciAddress address = AddressOf(pci);
    const bool above = std::any_of(positions.begin(), positions.end(), [&](const auto* position) {
      return std::find(position->bridges.begin(), position->bridges.end(), address) !=
             position->bridges.end();
    });
    if (above) machine.bridges.push_back({address, LinkSpeedOf(pci), AcsRedirect::kNotAsked});
  }
  std::sort(machine.bridges.begin(), machine.bridges.end(),
            [](const PciBridge& a, const PciBridge& b) { return a.address < b.address; });
}

int CountHostBridges(hwloc_topology_t topology) {
  int count = 0;
  for (hwloc_obj_t bridge = nullptr;
       (bridge = hwloc_get_next_bridge(topology, bridge)) != nullptr;) {
    if (bridge->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_HOST) ++count;
  }
  return count;
}

// Decides Machine::flat. On a flat tree a NUMA node is no knowledge (it is the only one there is),
// so it is taken back.
void DecideFlat(hwloc_topology_t topology, Machine& machine) {
  const std::vector<PciPosition*> positions = Positions(machine);
  const auto has_cpus = [](const NumaNode& node) { return !node.cpus.empty(); };
  const bool has_several_nodes =
      std::count_if(machine.numa_nodes.begin(), machine.numa_nodes.end(), has_cpus) > 1;
  const auto tells_nothing = [&](const PciPosition* position) {
    return position->bridges.empty() && !(position->numa_node && has_several_nodes);
  };
  machine.flat = !positions.empty() && CountHostBridges(topology) <= 1 &&
                 std::all_of(positions.begin(), positions.end(), tells_nothing);
  if (!machine.flat) return;
  for (PciPosition* position : positions) position->numa_node.reset();
}

std::string HostName() {
  char name[HOST_NAME_MAX + 1] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 ? name : "";
}

// The Machine of a loaded topology.
Machine MakeMachine(hwloc_topology_t topology) {
  const bool is_live = hwloc_topology_is_thissystem(topology) != 0;
  Machine machine;
  machine.instance_type = InfoOfMachine(topology, "DMIProductName");
  machine.hostname = is_live ? HostName() : InfoOfMachine(topology, "HostName");
  ReadNumaNodes(topology, machine);
  ReadPciDevices(topology, machine);
  ReadBridges(topology, machine);
  if (is_live) {
    if (machine.instance_type.empty()) {
      machine.instance_type =
          ReadAttribute("/sys/devices/virtual/dmi/id/product_name").value_or("");
    }
    ReadNumaNodesFromSysfs("/sys", machine);
    ReadFactsFromSysfs("/sys", machine);
  } else {
    ReadRecordedFacts(topology, machine);
  }
  DecideFlat(topology, machine);
  return machine;
}

}  // namespace

Result<Machine> LoadLiveMachine() {
  RAILGAUGE_ASSIGN_OR_RETURN(const Topology topology, LoadLiveTopology());
  return MakeMachine(topology.get());
}

Result<std::string> ExportLiveTopology() {
  RAILGAUGE_ASSIGN_OR_RETURN(const Topology topology, LoadLiveTopology());
  RecordFacts(MakeMachine(topology.get()), topology.get());
  return ExportXml(topology.get(), "of this machine");
}

Result<Machine> LoadMachineFromXml(const std::string& path) {
  RAILGAUGE_ASSIGN_OR_RETURN(const Topology topology,
                             LoadXmlTopology(path, XmlDetail::kPlaces,
                                             [](hwloc_topology_t loaded) { MakeMachine(loaded); }));
  return MakeMachine(topology.get());
}

}  // namespace railgauge
