// Quantities in flags, spelled and checked the same everywhere. Every Error names the flag.
#ifndef RAILGAUGE_CLI_QUANTITIES_H_
#define RAILGAUGE_CLI_QUANTITIES_H_

#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/measure/place_memory.h"
#include "lib/record/place.h"

namespace railgauge {

// --sizes: "4096,64KiB,1MiB" in the given order; an empty, zero or repeated one is an error.
Result<std::vector<Bytes>> ParseSizes(const std::string& text);

// --time-budget: "45s", more than zero.
Result<Nanoseconds> ParseTimeBudget(const std::string& text);

// That a message of every size fits the memory that a run rotates over at each of `places` and, as
// the other end, in the host's.
Status CheckSizesFit(const std::vector<Bytes>& sizes, const std::vector<MemoryPlace>& places,
                     const WorkingSet& working_set = DefaultWorkingSet());

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_QUANTITIES_H_
