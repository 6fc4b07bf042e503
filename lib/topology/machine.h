// Machine: what railgauge needs to know of one computer: NUMA nodes, GPUs, EFA NICs, and how PCI
// connects them. Plain data; `load.h` makes one from hwloc, tests write one by hand.
#ifndef RAILGAUGE_LIB_TOPOLOGY_MACHINE_H_
#define RAILGAUGE_LIB_TOPOLOGY_MACHINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/record/place.h"
#include "lib/record/records.h"

namespace railgauge {

struct NumaNode {
  uint32_t os_index = 0;
  Bytes memory;                // 0: a node without memory (GB200 shows 32 of them)
  std::vector<uint32_t> cpus;  // OS indexes of the logical processors, ascending; may be empty
};

// Where a PCI function sits.
struct PciPosition {
  PciAddress address;
  // The host bridge above it, named by domain and first bus ("0000:10"). Empty: not known.
  std::string host_bridge;
  // The PCI-PCI bridges from the root port down to the one right above the function, as hwloc sees
  // them. Empty where the machine shows none (p4d, flat trees).
  std::vector<PciAddress> bridges;
  std::optional<uint32_t> numa_node;         // sysfs -1 and hwloc without locality are unknown
  std::optional<BytesPerSecond> link_speed;  // 0 or Unknown in sysfs is unknown; advice only
};

// Whether a bridge sends requests between two functions below its switch up to the root port
// instead (PCIe Access Control Services, P2P request redirect). Three states that must not be mixed
// up, and the fourth that nobody looked.
enum class AcsRedirect : uint8_t {
  kNotAsked,    // not in this view: an export of another tool
  kUnreadable,  // the kernel shows its head of configuration space only, as to who is not root
  kOff,         // also where the bridge has no such capability
  kOn,
};
std::string_view ToString(AcsRedirect redirect);  // "not_asked", "unreadable", "off", "on"
std::optional<AcsRedirect> ParseAcsRedirect(std::string_view text);

// A PCI-PCI bridge above a NIC, GPU or accelerator.
struct PciBridge {
  PciAddress address;
  std::optional<BytesPerSecond> link_speed;  // of its upper side; advice only, and often wrong
  AcsRedirect acs_redirect = AcsRedirect::kNotAsked;
};

struct Gpu {
  PciPosition position;
  uint16_t vendor_id = 0;
  uint16_t device_id = 0;
  std::string model;  // as hwloc names it; may be empty
};

// A processor that is no CUDA GPU: Trainium, Inferentia, a GPU of another vendor. Its memory is no
// place that can be measured yet; it is told of, so that nobody takes silence for an answer.
struct Accelerator {
  PciPosition position;
  uint16_t vendor_id = 0;
  uint16_t device_id = 0;
  std::string model;  // as hwloc names it; may be empty
};

struct Nic {
  PciPosition position;
  uint16_t device_id = 0;  // efa0…efa4
  std::string name;        // ibverbs device name; empty when PCI shows it and ibverbs does not
  // As its driver reports them in sysfs; empty where it does not say, or nobody looked. The rate
  // of the port is one of InfiniBand's codes and may be below the line rate.
  std::optional<BytesPerSecond> port_rate = std::nullopt;
  std::string p2p_provider = "";  // who lets it register GPU memory by address; "none" is an answer
  NicKey key() const { return {position.address, name}; }
};

struct Machine {
  std::string instance_type;  // DMI product name; empty when unknown
  std::string hostname;
  std::vector<NumaNode> numa_nodes;       // ascending OS index
  std::vector<Gpu> gpus;                  // ascending PCI address
  std::vector<Accelerator> accelerators;  // ascending PCI address
  std::vector<Nic> nics;                  // EFA only, ascending PCI address
  std::vector<PciBridge> bridges;         // above any of these, ascending PCI address
  // Other RDMA devices, that are not EFA (ConnectX-7 on p6); shown, never measured.
  std::vector<PciAddress> other_rdma_devices;
  // hwloc showed at least one PCI device. False: the view hides PCI (container, filter).
  bool shows_pci = false;
  // One host bridge, no PCI bridge above any NIC or GPU, and no choice of NUMA node shown for any:
  // the tree tells nothing about locality (c5n, p3dn, g5). Several host bridges are not flat (p4d).
  bool flat = false;

  // Null when there is none.
  const Nic* FindNic(const PciAddress& address) const;
  const Gpu* FindGpu(const PciAddress& address) const;
  const PciBridge* FindBridge(const PciAddress& address) const;
  const Accelerator* FindAccelerator(const PciAddress& address) const;
  const NumaNode* FindNumaNode(uint32_t os_index) const;

  // NUMA nodes that have memory, then GPUs.
  std::vector<MemoryPlace> Places() const;
  // Accelerators: named in the census, and nowhere else.
  std::vector<MemoryPlace> UnsupportedPlaces() const;

  // OK when there is an EFA NIC; else an Error that tells "PCI is hidden" from "PCI is visible and
  // has none", which have different remedies.
  Status CheckHasNics() const;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_TOPOLOGY_MACHINE_H_
