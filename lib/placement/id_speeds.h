// Findings: interconnect ids held against measured throughput.
//
// That two ids have one speed, or that one id has two which follow the relations, is normal:
// interconnects.csv shows it (correlation.h), and nothing is wrong with it. Here is what neither
// the ids nor the topology explains.
#ifndef RAILGAUGE_LIB_PLACEMENT_ID_SPEEDS_H_
#define RAILGAUGE_LIB_PLACEMENT_ID_SPEEDS_H_

#include <span>
#include <vector>

#include "lib/placement/evidence.h"
#include "lib/placement/id_table.h"
#include "lib/record/records.h"

namespace railgauge {

// Slower counts from three undisturbed windows on that are all slower than what they are held
// against, by more than JudgeGates::bad_placement:
//  * id_with_two_speeds: of the places that have one id and one relation to a NIC, some are slower
//    than the median of the others, and than the median of that relation at all NICs (of those
//    alone, single windows may be half too fast). One finding for all NICs to which the same place
//    is slower.
//  * ids_with_one_speed: a NIC reaches two groups of places at one speed (JudgeGates::differs)
//    though it names different ids for them and its siblings, three or more, have two speeds
//    there; and the group that is fast at these is slower at it. What limits it is then likely
//    common to both. One per NIC and field.
//  * id_changed: the memory measured with was answered another id than the census has for the same
//    place and way. One per NIC.
// `evidence` is of the same samples, and of the census that `nics` is of.
std::vector<Finding> FindIdSpeeds(const Evidence& evidence, std::span<const NicIds> nics,
                                  std::span<const Sample> samples);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_ID_SPEEDS_H_
