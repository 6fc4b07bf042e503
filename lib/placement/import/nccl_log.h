// NCCL's log (NCCL_DEBUG=INFO): which NIC each channel of this host's GPUs uses.
//
// Of each line the host and these phrases count:
//   comm … rank R … busId B            which GPU a rank is; B is hexadecimal without separators
//   Channel C/N : A[x] -> B[y] [send|receive] via NET/NAME/D(P)…
//                                      rank A sends, or rank B receives, by net D; with (P) by way
//                                      of rank P's GPU (PXN). Old versions write the bus id as x
//                                      and y
//   NET/OFI NIC group D device #K ADDR the NICs of net D (aws-ofi-nccl)
//   NIC/…  and below it  NET/S-D       the same, in the graph that NCCL_DEBUG_SUBSYS=GRAPH prints
//   NET/IB : Using [D]NAME:PORT/…      the same (NCCL's own plugin)
// Sources: NCCL src/transport/net.cc, src/init.cc, src/graph/topo.cc (ncclTopoPrintRec),
// src/transport/net_ib; aws-ofi-nccl src/nccl_ofi_topo.cpp (print_nic_groups).
#ifndef RAILGAUGE_LIB_PLACEMENT_IMPORT_NCCL_LOG_H_
#define RAILGAUGE_LIB_PLACEMENT_IMPORT_NCCL_LOG_H_

#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/placement/import/import_source.h"

namespace railgauge {

// A log of several hosts is read for the one that the machine's name says; when it is none of them,
// an error.
Result<Decision> ImportNcclLog(const ImportSource& source);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_IMPORT_NCCL_LOG_H_
