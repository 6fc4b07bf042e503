// A machine's census with ids by rule, so that a test states only what is special. For tests only.
#ifndef RAILGAUGE_LIB_PLACEMENT_ID_WORLD_TESTUTIL_H_
#define RAILGAUGE_LIB_PLACEMENT_ID_WORLD_TESTUTIL_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

// The ids of a row whose NIC, place, way and relation are set.
using IdRule = std::function<InterconnectIds(const CensusRow&)>;

// One row per NIC of `machine`, place and way (host memory by host; GPUs by dmabuf and
// peer_memory), in this order.
std::vector<CensusRow> CensusByRule(const Machine& machine, const IdRule& rule);

// In every field the relation's number, and 10 more for host memory: each NIC tells every relation
// apart, and all alike.
InterconnectIds ByRelation(const CensusRow& row);

// The rows of the NIC at the address (and, if given, at the place of that spelling).
std::vector<CensusRow*> RowsOf(std::vector<CensusRow>& census, std::string_view nic,
                               std::string_view place = "");

// "kind nic field" of each, '-' for none.
std::vector<std::string> Heads(const std::vector<Finding>& findings);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_ID_WORLD_TESTUTIL_H_
