// The census as commands take it: with progress, and ended by an interrupt.
#ifndef RAILGAUGE_CLI_TAKING_CENSUS_H_
#define RAILGAUGE_CLI_TAKING_CENSUS_H_

#include <vector>

#include "cli/session.h"
#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/record/place.h"
#include "lib/record/records.h"

namespace railgauge {

Result<std::vector<CensusRow>> TakeCensus(const Session& session, std::vector<PciAddress> nics,
                                          std::vector<MemoryPlace> places);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_TAKING_CENSUS_H_
