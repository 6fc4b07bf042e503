#include "cli/run_records.h"

#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "lib/report/report_file.h"
#include "lib/topology/load.h"

namespace railgauge {
namespace {

// Adds the rows of the file to `rows`, or its name to records.missing.
template <typename Row>
Status Read(const std::string& directory, std::vector<Row>& rows, RunRecords& records) {
  if (!HasReport<Row>(directory)) {
    records.missing.emplace_back(FileNameOf<Row>());
    return {};
  }
  RAILGAUGE_ASSIGN_OR_RETURN(Recorded<Row> recorded, ReadReport<Row>(directory));
  if (records.run.run_id.empty()) records.run = recorded.run;
  rows = std::move(recorded.rows);
  return {};
}

}  // namespace

Result<std::string> TopologyFileOf(const RunDirectoryOptions& options) {
  if (!options.hwloc_xml.empty()) return options.hwloc_xml;
  std::string path = options.directory + "/topology.xml";
  if (::access(path.c_str(), R_OK) == 0) return path;
  return Fail(ErrnoError(errno, "open", path,
                         "Give the topology of the run's machine with --hwloc-xml=FILE"));
}

Result<RunRecords> ReadRunRecords(const RunDirectoryOptions& options) {
  RunRecords records;
  const std::string& directory = options.directory;
  RAILGAUGE_RETURN_IF_ERROR(Read(directory, records.census, records));
  RAILGAUGE_RETURN_IF_ERROR(Read(directory, records.samples, records));
  if (records.missing.size() == 2) {
    return Fail(ErrnoError(ENOENT, "open", directory + "/census.csv",
                           "Give the directory that check, census or load wrote"));
  }
  RAILGAUGE_RETURN_IF_ERROR(Read(directory, records.placement, records));
  RAILGAUGE_RETURN_IF_ERROR(Read(directory, records.groups, records));
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string topology, TopologyFileOf(options));
  RAILGAUGE_ASSIGN_OR_RETURN(records.machine, LoadMachineFromXml(topology));
  RAILGAUGE_RETURN_IF_ERROR(records.machine.CheckHasNics());
  return records;
}

}  // namespace railgauge
