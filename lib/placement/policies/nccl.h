// Policy `nccl`: NCCL's local-net rule, on the machine's own PCI tree.
//
// Each GPU takes the network devices with the widest path to it and, among these, the nearest path
// type: one PCI switch (PIX), several (PXB), the CPU (PHB), another NUMA node (SYS). L local
// devices that G GPUs find local give each GPU ceil(L / G) of them: channel c of the GPU with NVML
// number d uses local device (s + c mod ceil(L / G)) mod L, where s is d mod G, with its bits
// mirrored when L is a power of two (so that neighbours begin far apart). Sources: NCCL
// src/graph/topo.cc (ncclTopoGetLocal, ncclTopoGetLocalNetType), src/graph/paths.cc (path types),
// src/graph/xml.cc (a PCI switch shows as two bridges and is one node).
//
// What it leaves out: NVLink and PXN do not change which NIC is local; AWS ships a topology file
// for p4d, whose PCI tree shows no switches, and aws-ofi-nccl groups NICs before NCCL sees them. To
// judge what NCCL did with these, give its own dump or log (lib/placement/import).
#ifndef RAILGAUGE_LIB_PLACEMENT_POLICIES_NCCL_H_
#define RAILGAUGE_LIB_PLACEMENT_POLICIES_NCCL_H_

#include <cstddef>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/topology/machine.h"

namespace railgauge {

// A GPU or network device in NCCL's tree.
struct NcclDevice {
  // The device itself and the PCI switches above it, nearest first, and how fast the link above
  // each is, in GB/s.
  struct Hop {
    std::string node;
    double uplink_gb_per_s = 0;
  };
  std::vector<Hop> hops;
  int numa_node = -1;  // -1 is a node of its own, as in NCCL
  size_t number = 0;   // of a GPU: NVML's
};

// For each GPU the indexes of the nets that its channels use, in the order of the channels.
std::vector<std::vector<size_t>> NcclLocalNets(const std::vector<NcclDevice>& gpus,
                                               const std::vector<NcclDevice>& nets);

Result<Decision> DecideNccl(const Machine& machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_POLICIES_NCCL_H_
