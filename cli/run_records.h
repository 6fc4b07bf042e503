// The files of one run's directory, read back for the commands that explain it.
#ifndef RAILGAUGE_CLI_RUN_RECORDS_H_
#define RAILGAUGE_CLI_RUN_RECORDS_H_

#include <string>

#include "lib/base/result.h"
#include "lib/placement/explanation.h"

namespace railgauge {

struct RunDirectoryOptions {
  std::string directory;
  std::string hwloc_xml;  // the topology instead of the directory's own; may be empty
};

// Where the topology is: the directory's, or what is given instead. An Error where there is none.
Result<std::string> TopologyFileOf(const RunDirectoryOptions& options);

// What is there is read: a run that was cut short has no placement.csv. An Error when there is no
// topology, no EFA NIC in it, neither census.csv nor samples.csv, or a file that cannot be read.
Result<RunRecords> ReadRunRecords(const RunDirectoryOptions& options);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_RUN_RECORDS_H_
