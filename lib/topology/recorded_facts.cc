#include "lib/topology/recorded_facts.h"

#include <optional>
#include <string>

#include "fmt/core.h"

namespace railgauge {
namespace {

constexpr char kPortRate[] = "RailgaugePortRate";  // as in flags: "100Gb/s"
constexpr char kP2pProvider[] = "RailgaugeP2pProvider";
constexpr char kAcsRedirect[] = "RailgaugeAcsRedirect";

PciAddress AddressOf(const hwloc_obj_attr_u::hwloc_pcidev_attr_s& pci) {
  return {pci.domain, pci.bus, pci.dev, pci.func};
}

// Calls `visit` with the object of each NIC and bridge of `machine`.
template <typename AnyMachine, typename Visit>
void VisitNics(hwloc_topology_t topology, AnyMachine& machine, Visit visit) {
  for (hwloc_obj_t device = nullptr;
       (device = hwloc_get_next_pcidev(topology, device)) != nullptr;) {
    const PciAddress address = AddressOf(device->attr->pcidev);
    for (auto& nic : machine.nics) {
      if (nic.position.address == address) visit(device, nic);
    }
  }
}

template <typename AnyMachine, typename Visit>
void VisitBridges(hwloc_topology_t topology, AnyMachine& machine, Visit visit) {
  for (hwloc_obj_t object = nullptr;
       (object = hwloc_get_next_bridge(topology, object)) != nullptr;) {
    if (object->attr->bridge.upstream_type != HWLOC_OBJ_BRIDGE_PCI) continue;
    const PciAddress address = AddressOf(object->attr->bridge.upstream.pci);
    for (auto& bridge : machine.bridges) {
      if (bridge.address == address) visit(object, bridge);
    }
  }
}

std::string InfoOf(hwloc_obj_t object, const char* name) {
  const char* value = hwloc_obj_get_info_by_name(object, name);
  return value != nullptr ? value : "";
}

}  // namespace

void RecordFacts(const Machine& machine, hwloc_topology_t topology) {
  VisitNics(topology, machine, [](hwloc_obj_t object, const Nic& nic) {
    if (nic.port_rate) {
      const std::string rate = fmt::format("{:.15g}Gb/s", nic.port_rate->value * 8 / 1e9);
      hwloc_obj_add_info(object, kPortRate, rate.c_str());
    }
    if (!nic.p2p_provider.empty()) {
      hwloc_obj_add_info(object, kP2pProvider, nic.p2p_provider.c_str());
    }
  });
  VisitBridges(topology, machine, [](hwloc_obj_t object, const PciBridge& bridge) {
    if (bridge.acs_redirect == AcsRedirect::kNotAsked) return;
    hwloc_obj_add_info(object, kAcsRedirect, std::string(ToString(bridge.acs_redirect)).c_str());
  });
}

void ReadRecordedFacts(hwloc_topology_t topology, Machine& machine) {
  VisitNics(topology, machine, [](hwloc_obj_t object, Nic& nic) {
    if (const auto rate = ParseBytesPerSecond(InfoOf(object, kPortRate))) nic.port_rate = *rate;
    nic.p2p_provider = InfoOf(object, kP2pProvider);
  });
  VisitBridges(topology, machine, [](hwloc_obj_t object, PciBridge& bridge) {
    const auto redirect = ParseAcsRedirect(InfoOf(object, kAcsRedirect));
    if (redirect) bridge.acs_redirect = *redirect;
  });
}

}  // namespace railgauge
