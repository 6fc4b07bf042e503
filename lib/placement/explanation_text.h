// An explanation as text for people, at most 100 columns wide.
#ifndef RAILGAUGE_LIB_PLACEMENT_EXPLANATION_TEXT_H_
#define RAILGAUGE_LIB_PLACEMENT_EXPLANATION_TEXT_H_

#include <string>

#include "lib/placement/explanation.h"

namespace railgauge {

// A paragraph per part, each with its unknowns said.
std::string FormatPair(const RunRecords& records, const PairExplanation& explanation);

// What the NIC is, a line per place, and what names the NIC.
std::string FormatNic(const RunRecords& records, const Nic& nic, const Overview& overview);
// The same of a place, a line per NIC.
std::string FormatPlace(const RunRecords& records, const MemoryPlace& place,
                        const Overview& overview);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_EXPLANATION_TEXT_H_
