// PreferredWay: in which way a run registers a place's memory with a NIC, known before the run.
//
// The engine takes the first way that works (memory/registration.h), and which one that is belongs
// into a benchmark's name: a GPU that was measured by dma-buf yesterday and by peer memory today is
// no comparison. Only a registration tells, so the census is asked.
#ifndef RAILGAUGE_BENCH_PREFERRED_WAY_H_
#define RAILGAUGE_BENCH_PREFERRED_WAY_H_

#include <span>

#include "cli/session.h"
#include "lib/base/result.h"
#include "lib/record/records.h"

namespace railgauge {

// Rows of the selected NICs and those places that have more ways than one; none where there is no
// such place.
Result<std::vector<CensusRow>> ProbeWays(const Session& session);

// The first way that worked; where none did, or none was probed, the one to prefer.
RegistrationWay PreferredWay(std::span<const CensusRow> probed, const PciAddress& nic,
                             const MemoryPlace& place);

}  // namespace railgauge

#endif  // RAILGAUGE_BENCH_PREFERRED_WAY_H_
