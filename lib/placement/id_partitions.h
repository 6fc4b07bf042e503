// Findings: how a NIC's ids divide the places, where nothing that the topology shows, no other
// field and no other registration way divides them so.
#ifndef RAILGAUGE_LIB_PLACEMENT_ID_PARTITIONS_H_
#define RAILGAUGE_LIB_PLACEMENT_ID_PARTITIONS_H_

#include <span>
#include <vector>

#include "lib/placement/id_table.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

// By themselves these say only that the topology does not explain the ids, so all are notes. Each
// is one finding for all NICs that show it, per field of relation_with_two_ids and ways_disagree:
//  * relation_with_two_ids: of the GPUs that have one relation to a NIC, some have another id than
//    others, or none, and neither each its own nor those below one switch (or host bridge) the
//    same. Not of host memory: packages of several nodes have more relations than Relation shows.
//  * ways_disagree: two registration ways of such GPUs agree at some, and not at others.
//  * fields_disagree: one field tells two places apart that another field does not, and the other
//    way about at two further ones, so that the fields cannot both name one set of ways.
// NICs that are unlike their siblings in the same are left to id_siblings.h.
std::vector<Finding> FindIdPartitions(const Machine& machine, std::span<const NicIds> table);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_ID_PARTITIONS_H_
