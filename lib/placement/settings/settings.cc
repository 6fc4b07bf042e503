#include "lib/placement/settings/settings.h"

#include <algorithm>

#include "lib/placement/settings/renderers.h"

namespace railgauge {
namespace {

constexpr Framework kFrameworks[] = {
    {"hwloc", "hwloc-bind in front of each process's command", "hwloc-bind(1), hwloc(7)",
     RenderHwloc},
    {"cuda", "environment of each process",
     "CUDA C++ Programming Guide, CUDA environment variables", RenderCuda},
    {"libfabric", "environment of each process; libfabric 2.0 or later",
     "libfabric man/fi_efa.7.md (FI_EFA_IFACE), man/fabric.7.md (FI_PROVIDER)", RenderLibfabric},
    {"nccl", "a topology file, for NCCL_TOPO_FILE in every process of the host",
     "NCCL src/graph/xml.cc, topo.cc; aws-ofi-nccl topology/*.xml, src/platform-aws.cpp",
     RenderNccl},
    {"nixl", "parameters of createBackend and environment of each process",
     "NIXL src/plugins/ucx/ucx_backend.cpp and ucx_utils.cpp (device_list), "
     "src/utils/libfabric/libfabric_common.cpp (fi_getinfo)",
     RenderNixl},
    {"ucx", "environment of each process",
     "UCX src/ucp/core/ucp_context.c (NET_DEVICES), docs/source/faq.md", RenderUcx},
    {"openmpi", "an mpirun command of one context per process",
     "Open MPI docs/man-openmpi/man1/mpirun.1.rst (-x), opal/mca/common/ofi/common_ofi.c",
     RenderOpenMpi},
    {"mooncake", "a topology JSON, for MC_CUSTOM_TOPO_JSON",
     "Mooncake mooncake-transfer-engine/src/transfer_engine_impl.cpp, src/topology.cpp",
     RenderMooncake},
    {"slurm", "a wrapper of the command, and the srun line that starts it",
     "Slurm doc/man/man1/srun.1 (--cpu-bind, --gpu-bind, --mem-bind, SLURM_LOCALID)", RenderSlurm},
    {"kubernetes", "hints for the kubelet's configuration and the pod's resources",
     "Kubernetes docs, Control Topology Management Policies on a node; Amazon EKS user guide, EFA",
     RenderKubernetes},
};

}  // namespace

std::span<const Framework> Frameworks() { return kFrameworks; }

const Framework* FindFramework(std::string_view name) {
  const auto found =
      std::find_if(std::begin(kFrameworks), std::end(kFrameworks),
                   [&](const Framework& framework) { return framework.name == name; });
  return found == std::end(kFrameworks) ? nullptr : &*found;
}

}  // namespace railgauge
