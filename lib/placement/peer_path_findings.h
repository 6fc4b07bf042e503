// Findings about the way between a NIC and a GPU below one switch: whether the switch sends it up
// to the root port (ACS redirect), and whether it is slow. Pure.
//
// ACS has three states that are told apart: on, off, and unreadable. A record that does not have it
// (topology.xml of another tool) says nothing.
#ifndef RAILGAUGE_LIB_PLACEMENT_PEER_PATH_FINDINGS_H_
#define RAILGAUGE_LIB_PLACEMENT_PEER_PATH_FINDINGS_H_

#include <vector>

#include "lib/placement/evidence.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

// Of requests between the two, by the bridges that are not above both. kOff where no such bridge is
// shown: nothing between them could redirect.
AcsRedirect PeerRedirectOf(const Machine& machine, const PciPosition& a, const PciPosition& b);

// acs_redirect and acs_unreadable (one each for all switches concerned), peer_path_slow: below
// JudgeGates::far_below_ceiling of the line rate in the median of all, or all cells of a switch
// slower than their class beyond chance. What is slow where ACS redirects is told there.
std::vector<Finding> FindPeerPathFindings(const Evidence& evidence);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_PEER_PATH_FINDINGS_H_
