// Findings about registering memory: a way that the machine offers and that fails, each way by
// itself, and RDMA that the instance type has and the device does not offer. Pure.
//
// A way that is not offered is normal and no finding: no dma-buf export by CUDA, or a driver whose
// p2p provider is "none" or not told.
#ifndef RAILGAUGE_LIB_PLACEMENT_REGISTRATION_FINDINGS_H_
#define RAILGAUGE_LIB_PLACEMENT_REGISTRATION_FINDINGS_H_

#include <span>
#include <vector>

#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

// registration_fails (one per way and reason), rdma_missing (one per operation).
std::vector<Finding> FindRegistrationFindings(const Machine& machine,
                                              std::span<const CensusRow> census);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_REGISTRATION_FINDINGS_H_
