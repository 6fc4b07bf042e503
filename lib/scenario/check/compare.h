// Compares what a run said with what its check expects. Pure.
#ifndef RAILGAUGE_LIB_SCENARIO_CHECK_COMPARE_H_
#define RAILGAUGE_LIB_SCENARIO_CHECK_COMPARE_H_

#include <string>
#include <vector>

#include "lib/record/load_group.h"
#include "lib/record/records.h"
#include "lib/scenario/check/check.h"

namespace railgauge {

// What a run, or the judge of its records, said.
struct CheckOutcome {
  std::vector<CensusRow> census;
  std::vector<PlacementRow> placement;
  std::vector<GroupRow> groups;
  std::vector<Finding> findings;
  int exit_status = 0;
};

// One line for each expectation that was not met and for everything that was not expected, with the
// line of the check where there is one; empty when all is as expected. `file` is the check's.
std::vector<std::string> Differences(const Check& check, const CheckOutcome& outcome,
                                     const std::string& file);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_CHECK_COMPARE_H_
