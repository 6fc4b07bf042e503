// A recorded machine: the files of a run directory, and what the judge says of them.
#ifndef RAILGAUGE_LIB_SCENARIO_CHECK_RECORDED_H_
#define RAILGAUGE_LIB_SCENARIO_CHECK_RECORDED_H_

#include <string>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/record/load_group.h"
#include "lib/record/records.h"
#include "lib/scenario/check/check.h"
#include "lib/scenario/check/compare.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct RecordedMachine {
  Machine machine;
  std::vector<PciAddress> cuda_order;  // as CUDA counted the GPUs in that run
  std::vector<CensusRow> census;
  std::vector<Sample> samples;
  std::vector<GroupRow> groups;  // of load: who ran at once; what was said of them
};

// Of the directory's topology.xml, run.json, census.csv, samples.csv and, where there is one,
// groups.csv. Starts a child process to parse the XML: see LoadMachineFromXml.
Result<RecordedMachine> ReadRecorded(const std::string& directory);

// The decision that the check is about, on that machine. `checks_dir` is where its file is when
// `placement` names one.
Result<Decision> DecisionOf(const Check& check, const RecordedMachine& recorded,
                            const std::string& checks_dir);

// What refuses a check that cannot be judged: its machine, or its decision there. `directory` needs
// no more than topology.xml. Empty when nothing does.
std::string ErrorOf(const Check& check, const std::string& directory,
                    const std::string& checks_dir);

// What the judge says of a decision by these records.
CheckOutcome JudgeRecorded(const RecordedMachine& recorded, const Decision& decision);
// What it says of the groups that ran at once.
CheckOutcome JudgeRecordedGroups(const RecordedMachine& recorded);

// What the run itself said: its placement.csv, groups.csv and findings.csv. It ended with
// `exit_status`.
Result<CheckOutcome> ReadOutcome(const std::string& directory, int exit_status);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_CHECK_RECORDED_H_
