// The devices that a scheduler gave to a job: Slurm's and Kubernetes' lists.
//
// A list says what the job has, and not which NIC serves which GPU: within each job (each
// container) the pairs are those of the policy `nearest` on these devices alone. So a verdict says
// whether the scheduler gave the job the right NICs.
//  * Slurm: `scontrol show job -d`, where a line per host has
//  GRES=gpu:h100:2(IDX:0-1),efa:8(IDX:0-7)
//    or the variable SLURM_JOB_GPUS=0,1. Indexes count in PCI order. A gres that is called efa,
//    nic, rdma or hca counts the NICs; without one the job may use all NICs.
//  * Kubernetes: JSON of the kubelet's podresources API ("podResources", a container's "devices"
//  with
//    "resourceName" and "deviceIds"), or the kubelet's checkpoint
//    /var/lib/kubelet/device-plugins/kubelet_internal_checkpoint. Resources with "gpu" in their
//    name are GPUs, with "efa", "rdma" or "hca" NICs; ids are PCI addresses, names, or numbers in
//    PCI order. A GPU's UUID is an error, since nothing here says where it is.
// Sources: Slurm scontrol(1), gres.conf(5), prolog/epilog guide; Kubernetes
// staging/src/k8s.io/kubelet/ pkg/apis/podresources/v1/api.proto,
// pkg/kubelet/cm/devicemanager/checkpoint.
#ifndef RAILGAUGE_LIB_PLACEMENT_IMPORT_JOB_DEVICES_H_
#define RAILGAUGE_LIB_PLACEMENT_IMPORT_JOB_DEVICES_H_

#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/placement/import/import_source.h"

namespace railgauge {

Result<Decision> ImportSlurmJob(const ImportSource& source);
Result<Decision> ImportKubernetesDevices(const ImportSource& source);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_IMPORT_JOB_DEVICES_H_
