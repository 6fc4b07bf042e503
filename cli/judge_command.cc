// railgauge judge: verdicts on a recorded run, without hardware.

#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/selection.h"
#include "fmt/core.h"
#include "lib/base/file.h"
#include "lib/placement/all_findings.h"
#include "lib/placement/import/import.h"
#include "lib/placement/judge.h"
#include "lib/placement/whole_assignment.h"
#include "lib/report/finding_list.h"
#include "lib/report/matrix.h"
#include "lib/report/report_csv.h"
#include "lib/topology/load.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "RUNDIR is what check wrote: its census.csv, samples.csv and topology.xml are read, nothing "
    "is\n"
    "measured and nothing in it is changed. With the placement that the run was for, the verdicts "
    "are\n"
    "those of its placement.csv; another placement is judged by what that run happened to "
    "measure.\n"
    "PLACEMENT is as for check; GPUs are named by PCI address, since ordinals are CUDA's.\n"
    "Exit status: as of check.\n"
    "Examples:\n"
    "  railgauge judge results/run-20261129T165320Z-19f3 --placement=nearest\n"
    "  railgauge judge run-1 --placement=nccl --csv_out=nccl-placement.csv";

struct Options {
  std::string directory;
  std::string placement;
  std::string hwloc_xml;
  std::string csv_out;
  std::string findings_out;
  ColorOption color;
};

template <typename Row>
Result<Recorded<Row>> ReadReport(const std::string& directory) {
  const std::string path = fmt::format("{}/{}", directory, FileNameOf<Row>());
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string content, ReadFile(path, size_t{4} << 30));
  return ParseReport<Row>(content, path);
}

Selection SelectionOf(const std::vector<CensusRow>& census) {
  Selection selection;
  for (const CensusRow& row : census) {
    selection.nics.push_back(row.nic.address);
    if (!Selected(selection, row.place)) selection.places.push_back(row.place);
  }
  return selection;
}

Result<Machine> LoadRecordedMachine(const Options& options) {
  if (!options.hwloc_xml.empty()) return LoadMachineFromXml(options.hwloc_xml);
  const std::string path = options.directory + "/topology.xml";
  if (::access(path.c_str(), R_OK) == 0) return LoadMachineFromXml(path);
  return Fail(ErrnoError(errno, "open", path,
                         "Give the topology of the run's machine with --hwloc-xml=FILE"));
}

Result<ExitStatus> Run(const Options& options) {
  RAILGAUGE_ASSIGN_OR_RETURN(const auto census, ReadReport<CensusRow>(options.directory));
  RAILGAUGE_ASSIGN_OR_RETURN(const auto samples, ReadReport<Sample>(options.directory));
  RAILGAUGE_ASSIGN_OR_RETURN(const Machine machine, LoadRecordedMachine(options));
  RAILGAUGE_RETURN_IF_ERROR(machine.CheckHasNics());
  RAILGAUGE_ASSIGN_OR_RETURN(const Decision decision,
                             DecidePlacement(options.placement, machine, {}));
  Judgement judgement = Judge(machine, census.rows, samples.rows, decision);
  ApplySelection(SelectionOf(census.rows), judgement.placement);
  const auto status = static_cast<ExitStatus>(ExitStatusOf(judgement.placement));
  const RunIdentity& run = census.rows.empty() ? samples.run : census.run;
  const std::vector<Finding> findings = AllFindings(machine, census.rows, samples.rows, &decision);
  if (!options.findings_out.empty()) {
    RAILGAUGE_RETURN_IF_ERROR(
        WriteFileAtomically(options.findings_out, CsvFile<Finding>(run, findings)));
  }
  const std::string csv = CsvFile<PlacementRow>(run, judgement.placement);
  if (options.csv_out == "-") {
    std::fwrite(csv.data(), 1, csv.size(), stdout);
    return status;
  }
  if (!options.csv_out.empty()) {
    RAILGAUGE_RETURN_IF_ERROR(WriteFileAtomically(options.csv_out, csv));
  }
  MatrixOptions matrix;
  matrix.color = options.color.UseColor();
  fmt::print("run {} of {} ({})\nplacement: {}\n{}{}{}", Printable(run.run_id),
             run.instance_type.empty() ? "unknown instance type" : Printable(run.instance_type),
             Printable(run.platform), Printable(decision.source),
             FormatVerdicts(judgement.placement, matrix),
             FormatWhole(JudgeWhole(decision.source, judgement.placement), matrix),
             FormatFindings(findings, matrix));
  return status;
}

}  // namespace

Command AddJudgeCommand(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("judge", "judge a placement by a recorded run");
  command->footer(kFooter);
  command->add_option("RUNDIR", options->directory, "the run directory")->required();
  command->add_option("--placement", options->placement, "a policy's name, or a decision's file")
      ->type_name("PLACEMENT")
      ->required();
  command->add_option("--hwloc-xml", options->hwloc_xml,
                      "the topology, for a run directory without topology.xml");
  command
      ->add_option("--csv_out", options->csv_out,
                   "also write placement.csv to FILE; - is stdout, alone")
      ->type_name("FILE");
  command->add_option("--findings_out", options->findings_out, "also write findings.csv to FILE")
      ->type_name("FILE");
  AddColorOption(*command, options->color);
  return {command, [options](const CommandLine& /*line*/) { return Run(*options); }};
}

}  // namespace railgauge
