// UCX_NET_DEVICES, as launch scripts set it or `env` shows it: one process per block of lines.
//
//   CUDA_VISIBLE_DEVICES=0 UCX_NET_DEVICES=rdmap79s0:1,rdmap80s0:1 ./serve …
//
// A block is a line, or lines without an empty one between. CUDA_VISIBLE_DEVICES of the block says
// for which GPUs (numbers in PCI order, as with CUDA_DEVICE_ORDER=PCI_BUS_ID); without it the
// devices are those of all GPUs, or NUMA nodes. ":1" is the port and may be missing; "all" is every
// NIC. Source: UCX src/uct/base/uct_iface.c and its documentation of UCX_NET_DEVICES.
#ifndef RAILGAUGE_LIB_PLACEMENT_IMPORT_UCX_DEVICES_H_
#define RAILGAUGE_LIB_PLACEMENT_IMPORT_UCX_DEVICES_H_

#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/placement/import/import_source.h"

namespace railgauge {

Result<Decision> ImportUcxDevices(const ImportSource& source);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_IMPORT_UCX_DEVICES_H_
