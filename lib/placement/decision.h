// Decision: which NICs serve which consumer (a GPU, or a NUMA node of the host), as a policy or a
// file decides; what `check` judges.
#ifndef RAILGAUGE_LIB_PLACEMENT_DECISION_H_
#define RAILGAUGE_LIB_PLACEMENT_DECISION_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/record/place.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct Assignment {
  MemoryPlace consumer;
  std::vector<NicKey> nics;  // at least one, each once
  bool Uses(const PciAddress& nic) const;
};

struct Decision {
  std::string source;                   // "policy nearest", or the file's path
  std::vector<Assignment> assignments;  // each consumer once
};

// The consumers that use `nic`, in the decision's order.
std::vector<MemoryPlace> UsersOf(const Decision& decision, const PciAddress& nic);

// Reads a decision from CSV: the header `consumer,nic`, then one pair per row; '#' begins a comment
// line. A consumer is written "gpu:0000:53:00.0", "gpu3" or "numa0"; a NIC by its PCI address or
// its exact device name. "gpu3" counts in `cuda_order`, the addresses of the GPUs as the CUDA
// driver numbers them in this process (empty where there is no driver: then "gpu3" is refused,
// because an ordinal means nothing without one).
//
// Errors name file and line: no or another header, no pair, a pair twice, a consumer or NIC that
// this machine does not have (with the nearest one that it has).
Result<Decision> ParseDecision(std::string_view content, const std::string& file_name,
                               const Machine& machine,
                               const std::vector<PciAddress>& cuda_order = {});

// As ParseDecision, of the file at `path`.
Result<Decision> ReadDecisionFile(const std::string& path, const Machine& machine,
                                  const std::vector<PciAddress>& cuda_order = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_DECISION_H_
