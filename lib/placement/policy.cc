#include "lib/placement/policy.h"

#include <string>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "lib/base/nearest.h"
#include "lib/base/quoted.h"
#include "lib/placement/policies/consumers.h"
#include "lib/placement/policies/mooncake.h"
#include "lib/placement/policies/nccl.h"
#include "lib/placement/policies/nearest.h"
#include "lib/placement/policies/nixl.h"
#include "lib/placement/policies/numa.h"
#include "lib/placement/policies/open_mpi.h"
#include "lib/placement/policies/ucx.h"
#include "lib/placement/policies/vendor_map.h"

namespace railgauge {
namespace {

constexpr Policy kPolicies[] = {
    {"nearest",
     "every NIC goes to one GPU (NUMA node without GPUs), all get the same number or one more, the "
     "nearest first",
     "railgauge; nixl where every switch with NICs has a GPU", DecideNearest},
    {"nixl",
     "a GPU uses the NICs that meet it at its nearest ancestor, split evenly among the GPUs there",
     "NIXL libfabric_topology.cpp, aws-ofi-nccl nccl_ofi_topo.cpp", DecideNixl},
    {"nccl",
     "the NICs of the nearest path type, divided among the GPUs that they are local to, by bits of "
     "the GPU's number",
     "NCCL topo.cc (ncclTopoGetLocalNet)", DecideNccl},
    {"mooncake",
     "all NICs of the GPU's NUMA node with the shortest path in sysfs, shared by all GPUs so near",
     "Mooncake topology.cpp", DecideMooncake},
    {"ucx",
     "the two fastest by UCX's distance class, then by enumeration; the second at least a quarter "
     "as fast",
     "UCX topo.c, wireup/select.c", DecideUcx},
    {"ompi", "NIC r of the CPUs' NUMA node for the r-th process (one per GPU) of the node",
     "Open MPI common_ofi.c (get_nearest_nic)", DecideOpenMpi},
    {"ompi-gpu", "the first of the NICs with the fewest hwloc objects between it and the GPU",
     "Open MPI common_ofi.c (opal_common_ofi_accelerator_rank=0)", DecideOpenMpiByGpu},
    {"numa", "all NICs of the consumer's NUMA node",
     "Mooncake and NIXL for host memory; numactl users for GPUs", DecideNuma},
    {"enumeration", "NIC i for GPU i, modulo the number of NICs",
     "Open MPI common_ofi.c (select_provider_round_robin), launch scripts", DecideByEnumeration},
    {"vendor-map", "the vendor's table of NIC and accelerator (Trainium only)",
     "aws-neuron/connected-device-maps-over-efa-for-neuron", DecideByVendorMap},
};

}  // namespace

std::span<const Policy> Policies() { return kPolicies; }

bool IsPolicy(std::string_view name) {
  for (const Policy& policy : Policies()) {
    if (policy.name == name) return true;
  }
  return false;
}

Result<Decision> DecideByPolicy(std::string_view name, const Machine& machine) {
  for (const Policy& policy : Policies()) {
    if (policy.name != name) continue;
    RAILGAUGE_RETURN_IF_ERROR(machine.CheckHasNics());
    if (ConsumersOf(machine).empty()) {
      return Fail(MakeError("decide by policy", std::string(name),
                            "the topology shows neither a GPU nor a NUMA node with memory",
                            "Give a decision file with --placement=FILE"));
    }
    return policy.decide(machine);
  }
  std::vector<std::string> names;
  for (const Policy& policy : Policies()) names.emplace_back(policy.name);
  const auto nearest = Nearest(name, names);
  return Fail(
      MakeError("decide by policy", Quoted(name),
                fmt::format("there is no such policy; there is: {}", fmt::join(names, ", ")),
                nearest ? fmt::format("Write '{}', or name a file that exists", *nearest)
                        : "Name one of them, or a decision file that exists"));
}

}  // namespace railgauge
