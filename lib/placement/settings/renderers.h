// The renderers of settings.h, one per framework. A decision's consumers are taken for one process
// each, as launchers do it; GPUs are counted in PCI order (CUDA_DEVICE_ORDER=PCI_BUS_ID).
#ifndef RAILGAUGE_LIB_PLACEMENT_SETTINGS_RENDERERS_H_
#define RAILGAUGE_LIB_PLACEMENT_SETTINGS_RENDERERS_H_

#include "lib/placement/decision.h"
#include "lib/placement/settings/settings.h"
#include "lib/topology/machine.h"

namespace railgauge {

// A line or block per process.
Settings RenderHwloc(const Machine& machine, const Decision& decision);
Settings RenderCuda(const Machine& machine, const Decision& decision);
Settings RenderLibfabric(const Machine& machine, const Decision& decision);
Settings RenderUcx(const Machine& machine, const Decision& decision);
Settings RenderNixl(const Machine& machine, const Decision& decision);
Settings RenderOpenMpi(const Machine& machine, const Decision& decision);
Settings RenderSlurm(const Machine& machine, const Decision& decision);

// A file for the whole host.
Settings RenderNccl(const Machine& machine, const Decision& decision);
Settings RenderMooncake(const Machine& machine, const Decision& decision);
Settings RenderKubernetes(const Machine& machine, const Decision& decision);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_SETTINGS_RENDERERS_H_
