#include "cli/run_records.h"

#include <utility>

#include "cli/recorded_runs.h"
#include "lib/placement/run_table.h"
#include "lib/report/report_file.h"

namespace railgauge {
namespace {

// Adds the rows of the file to `rows`, or its name to records.missing where the run should have it.
template <typename Row>
Status Read(const std::string& directory, bool expected, std::vector<Row>& rows,
            RunRecords& records) {
  if (!HasReport<Row>(directory)) {
    if (expected) records.missing.emplace_back(FileNameOf<Row>());
    return {};
  }
  RAILGAUGE_ASSIGN_OR_RETURN(rows, ReadRunTable<Row>(directory, records.run, &records.machine));
  return {};
}

}  // namespace

Result<RunFiles> ReadRunFiles(const RunDirectoryOptions& options) {
  RAILGAUGE_ASSIGN_OR_RETURN(GivenTopologies topologies, GivenTopologies::Parse(options.hwloc_xml));
  RAILGAUGE_ASSIGN_OR_RETURN(LoadedRun loaded,
                             LoadOneRun(options.directory, topologies, Absent::kIsEmpty));
  const std::string directory = loaded.directory;
  RunFiles files;
  files.topology_file = topologies.FileOf(loaded.run, directory);
  files.notes = std::move(loaded.notes);
  for (std::string& note : topologies.NotesOnUnused()) files.notes.push_back(std::move(note));
  RunRecords& records = files.records;
  records.run = loaded.run;
  records.machine = *loaded.machine;
  records.census = std::move(loaded.census);
  records.samples = std::move(loaded.samples);
  records.cuda_order = std::move(loaded.cuda_order);
  if (!HasReport<CensusRow>(directory)) records.missing.emplace_back(FileNameOf<CensusRow>());
  if (!HasReport<Sample>(directory)) records.missing.emplace_back(FileNameOf<Sample>());
  // Where nothing says which command the run was of, it may have been either.
  const std::string& command = loaded.command;
  const bool of_check = command.empty() || command == "check";
  const bool of_load = command.empty() || command == "load";
  RAILGAUGE_RETURN_IF_ERROR(Read(directory, of_check, records.placement, records));
  RAILGAUGE_RETURN_IF_ERROR(Read(directory, of_load, records.groups, records));
  RAILGAUGE_RETURN_IF_ERROR(records.machine.CheckHasNics());
  return files;
}

}  // namespace railgauge
