// The census: by which interconnect every EFA NIC reaches every memory place, in every registration
// way, as the devices themselves say (efadv_query_mr).
//
// One row per NIC × place × way, always: what could not be opened, allocated or registered has a
// row with its reason, and nothing that was found is lost to what was not. Accelerators whose
// memory cannot be allocated yet have one row per NIC that says so (not_supported).
#ifndef RAILGAUGE_LIB_INTERCONNECT_CENSUS_H_
#define RAILGAUGE_LIB_INTERCONNECT_CENSUS_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/memory/cuda_driver.h"
#include "lib/record/place.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"
#include "lib/verbs/memory_region.h"

namespace railgauge {

struct CensusOptions {
  std::vector<PciAddress> nics;     // of the machine; empty: all
  std::vector<MemoryPlace> places;  // of the machine, unsupported ones included; empty: all
  // One buffer per place, shared by all NICs and registered by one at a time, so that the memlock
  // limit need not be large.
  Bytes host_buffer{64u << 10};
  Bytes gpu_buffer{2u << 20};
  // Called after each row with the rows done and in all. May be empty.
  std::function<void(size_t done, size_t total)> progress;
  // Asked before each NIC; the rows that are left are then skipped. May be empty.
  std::function<bool()> should_stop;
};

// The rows: NICs, places and ways in the machine's order. An error only when there is nothing to
// ask: no EFA device (Machine::CheckHasNics) or none of the chosen ones.
Result<std::vector<CensusRow>> RunCensus(const Machine& machine, const CudaDriver& cuda,
                                         const CensusOptions& options = {});

// Puts the answer of a registered region into its row: status, ids, reason.
void SetAnswer(const Result<IdAnswer>& answer, CensusRow* row);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_INTERCONNECT_CENSUS_H_
