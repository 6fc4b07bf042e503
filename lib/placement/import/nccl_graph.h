// NCCL's graph XML (NCCL_GRAPH_DUMP_FILE): which NIC each channel enters and leaves by.
//
// <graphs> has a <graph id pattern> per algorithm and a <channel> each with <net dev>, the GPUs in
// their order (<gpu dev rank>), <net dev>. The first GPU uses the first net; the second net is used
// by the last GPU of a ring (pattern 4) and by the second GPU of a balanced or split tree (1, 2).
// GPUs and nets are numbers, decimal in old versions and hexadecimal behind 0x in new ones, and
// only the topology file of the same run says which devices these are. Sources: NCCL
// src/graph/search.cc (ncclTopoGetXmlFromChannel, ncclTopoGetNetDev), src/graph/connect.cc
// (ncclTopoPreset).
#ifndef RAILGAUGE_LIB_PLACEMENT_IMPORT_NCCL_GRAPH_H_
#define RAILGAUGE_LIB_PLACEMENT_IMPORT_NCCL_GRAPH_H_

#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/placement/import/import_source.h"

namespace railgauge {

Result<Decision> ImportNcclGraph(const ImportSource& graph, const ImportSource& topology);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_IMPORT_NCCL_GRAPH_H_
