// NCCL's topology XML: what NCCL_TOPO_DUMP_FILE writes and NCCL_TOPO_FILE reads.
//
// <system> has a <cpu numaid> per NUMA node, in these nest <pci busid class link_speed link_width>
// for switches and devices, and a device's <pci> holds <gpu dev rank> or <nic> with <net name dev
// speed>. Files for NCCL_TOPO_FILE (AWS ships some) leave these out: there the PCI class tells. It
// names no pair by itself; the pairs are those that NCCL's local-net rule (policies/nccl.h) makes
// of this tree.
// Sources: NCCL src/graph/xml.cc and src/graph/topo.cc; aws-ofi-nccl topology/*.xml.
#ifndef RAILGAUGE_LIB_PLACEMENT_IMPORT_NCCL_TOPOLOGY_H_
#define RAILGAUGE_LIB_PLACEMENT_IMPORT_NCCL_TOPOLOGY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/placement/import/import_source.h"
#include "lib/placement/policies/nccl.h"

namespace railgauge {

struct NcclTopology {
  struct Gpu {
    MemoryPlace place;
    NcclDevice device;
  };
  struct Net {
    int64_t number = 0;        // NCCL's
    std::vector<NicKey> nics;  // several where NCCL or aws-ofi-nccl made one device of them
    NcclDevice device;
  };
  std::vector<Gpu> gpus;
  std::vector<Net> nets;
};

// The devices of a topology file. aws-ofi-nccl shows a group of NICs as its first one alone; where
// the file has as many nets as the plugin makes groups of this machine's NICs, one in each, a net
// stands for its group.
Result<NcclTopology> ParseNcclTopology(const ImportSource& source);

Result<Decision> ImportNcclTopology(const ImportSource& source);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_IMPORT_NCCL_TOPOLOGY_H_
