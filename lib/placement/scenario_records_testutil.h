// What a run on a machine of scenarios/ would record, without running it: the machine as the tools
// see it, a census, and one screening window of every cell at what its path carries. For tests of
// what the judge says of whole machines; the emulator's own timing is tested with it.
#ifndef RAILGAUGE_LIB_PLACEMENT_SCENARIO_RECORDS_TESTUTIL_H_
#define RAILGAUGE_LIB_PLACEMENT_SCENARIO_RECORDS_TESTUTIL_H_

#include <string>
#include <vector>

#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct ScenarioRecords {
  Machine machine;
  std::vector<CensusRow> census;
  std::vector<Sample> samples;  // each within 0.2 % of its path's capacity
};

// Of the machine of `spec` in "scenarios".
ScenarioRecords RecordsOf(const std::string& spec);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_SCENARIO_RECORDS_TESTUTIL_H_
