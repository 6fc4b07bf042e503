// Machines of the known shapes, made by rule instead of being captured: the addresses, names and
// groupings of the real instance types, without hwloc. For tests only.
#ifndef RAILGAUGE_LIB_TOPOLOGY_MACHINE_TESTUTIL_H_
#define RAILGAUGE_LIB_TOPOLOGY_MACHINE_TESTUTIL_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/topology/machine.h"

namespace railgauge {

// Aborts when `text` is no full PCI address.
PciAddress Pci(std::string_view text);
std::vector<PciAddress> PciList(const std::vector<std::string_view>& texts);

// A NIC (named by its bus and device, as udev does) or GPU at a position.
Nic MakeNic(std::string_view address, std::string_view host_bridge,
            const std::vector<std::string_view>& bridges, std::optional<uint32_t> numa_node);
Gpu MakeGpu(std::string_view address, std::string_view host_bridge,
            const std::vector<std::string_view>& bridges, std::optional<uint32_t> numa_node);

// `count` nodes with 1 GiB and two CPUs each, nothing on PCI.
Machine MakeHost(uint32_t count);

// p5.48xlarge: 8 switches, each with 4 NICs and a GPU below root port, upstream port and a
// downstream port each; 4 switches to a NUMA node.
Machine MakeP5();

// p4d.24xlarge: 4 host bridges without PCI bridges, each with one NIC and two GPUs; two to a node.
Machine MakeP4d();

// g6.48xlarge: one NIC behind a switch on node 0; 8 GPUs, each on a root port of its own.
Machine MakeG6();

// g5.48xlarge: one NIC and 8 GPUs on the one flat bus of a machine with two NUMA nodes.
Machine MakeG5();

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_TOPOLOGY_MACHINE_TESTUTIL_H_
