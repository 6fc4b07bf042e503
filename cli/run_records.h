// The files of one run's directory, read back for the commands that explain it.
#ifndef RAILGAUGE_CLI_RUN_RECORDS_H_
#define RAILGAUGE_CLI_RUN_RECORDS_H_

#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/placement/explanation.h"

namespace railgauge {

struct RunDirectoryOptions {
  std::string directory;
  std::vector<std::string> hwloc_xml;  // as GivenTopologies takes them
};

// What there is of a run, checked as judge checks it (recorded_runs.h).
struct RunFiles {
  RunRecords records;
  std::string topology_file;       // that the machine is of
  std::vector<std::string> notes;  // what a reader needs to know
};

// What is there is read: a run that was cut short has no placement.csv. An Error when there is no
// topology, no EFA NIC in it, neither census.csv nor samples.csv, files of several runs, or one
// that cannot be read or that no run can have written.
Result<RunFiles> ReadRunFiles(const RunDirectoryOptions& options);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_RUN_RECORDS_H_
