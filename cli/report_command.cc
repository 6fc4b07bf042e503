// railgauge report: a run directory as one HTML file for people.

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/command.h"
#include "cli/command_files.h"
#include "cli/judged_run.h"
#include "cli/messages.h"
#include "cli/recorded_runs.h"
#include "cli/software_versions.h"
#include "fmt/core.h"
#include "lib/base/result.h"
#include "lib/placement/correlation.h"
#include "lib/placement/whole_assignment.h"
#include "lib/report/html/page.h"
#include "lib/report/html/run_page.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "RUNDIR is what check or load wrote. The file holds everything that it shows, and opens in "
    "any\n"
    "browser without a network: verdicts with the windows that they rest on, the machine's "
    "drawing,\n"
    "a heat map of every NIC and memory place, and every CSV file as a table. A run that did not\n"
    "finish has a page, too, which says what is missing.\n"
    "The verdicts are those of the run's placement.csv, or with --placement those that judge "
    "gives;\n"
    "then no file of the run changes, and a run that cannot be judged is an error.\n"
    "Exit status: 0 the page is written; 2 it is not; 3 it is, and a file of the run could not be\n"
    "read: the page says which.\n"
    "Examples:\n"
    "  railgauge report results/run-20261129T165320Z-19f3\n"
    "  railgauge report run-1 --output=node-a.html\n"
    "  railgauge report run-1 --placement=nccl --output=nccl.html";

struct Options {
  std::string directory;
  std::string placement;  // empty: what the run itself judged is shown
  std::vector<std::string> hwloc_xml;
  std::string output;
};

// Judges the run as the command judge does, for the page alone.
Status Judge(const Options& options, GivenTopologies& topologies, PageData& data,
             std::vector<std::string>& notes) {
  RAILGAUGE_ASSIGN_OR_RETURN(const LoadedRun loaded, LoadOneRun(options.directory, topologies));
  RAILGAUGE_ASSIGN_OR_RETURN(const JudgedRun judged, JudgeLoadedRun(loaded, options.placement));
  const AssignmentRow whole = JudgeWhole(judged.decision.source, judged.judgement.placement);
  const auto interconnects = Correlate(loaded.census, loaded.samples);
  ShowVerdicts({.decision = judged.decision.source,
                .summary = judged.judgement.summary,
                .placement = judged.judgement.placement,
                .interconnects = interconnects,
                .assignment = {&whole, 1},
                .findings = judged.findings},
               data);
  notes.insert(notes.end(), loaded.notes.begin(), loaded.notes.end());
  return {};
}

// The page lies in the run's folder, so what is no run is told before that page's path is.
Status CheckMayBeRun(const std::string& directory) {
  std::error_code error;
  if (directory != "-" && !std::filesystem::exists(directory, error) && !error) {
    return Fail(ErrnoError(ENOENT, "read RUNDIR", directory,
                           "There is no run: name the directory that check or load made"));
  }
  const std::filesystem::path folder(directory);
  if (std::filesystem::exists(folder / "plan.json", error) &&
      !std::filesystem::exists(folder / "census.csv", error)) {
    return Fail(MakeError("read RUNDIR", directory, "it is a fleet's, and no run's",
                          "Its page is made by: railgauge fleet report " + directory));
  }
  return {};
}

Result<ExitStatus> Run(const Options& options) {
  if (PageTemplate().empty()) {
    return Fail(MakeError("write report", options.directory,
                          "this binary was built without the page (--define=report_page=none)",
                          "Build it where scripts/setup reaches an npm registry"));
  }
  RAILGAUGE_RETURN_IF_ERROR(CheckMayBeRun(options.directory));
  const std::string path =
      options.output.empty() ? options.directory + "/report.html" : options.output;
  RAILGAUGE_ASSIGN_OR_RETURN(GivenTopologies topologies, GivenTopologies::Parse(options.hwloc_xml));
  CommandFiles files;
  files.ReadsRuns("RUNDIR", options.directory);
  files.ReadsPlacement(options.placement);
  files.ReadsTopologies(options.hwloc_xml);
  files.Writes("--output", path);
  RAILGAUGE_RETURN_IF_ERROR(files.Check());
  RAILGAUGE_ASSIGN_OR_RETURN(
      PageData data, ReadRunForPage(options.directory, fmt::format("railgauge {}", kVersion)));
  std::vector<std::string> notes;
  if (!options.placement.empty()) {
    RAILGAUGE_RETURN_IF_ERROR(Judge(options, topologies, data, notes));
  }
  for (std::string& note : topologies.NotesOnUnused()) notes.push_back(std::move(note));
  RAILGAUGE_RETURN_IF_ERROR(WriteOutput(path, FillPage(PageTemplate(), ToJson(data))));
  bool unreadable = false;
  for (const PageFile& file : data.files) {
    if (file.problem.empty()) continue;
    notes.push_back(file.name + ": " + file.problem);
    unreadable |= !file.missing;
  }
  if (!data.how_to_judge.empty()) {
    notes.push_back("no placement was judged in this run, so its page has no verdicts: " +
                    data.how_to_judge);
  }
  PrintNotes(notes);
  if (path != "-") fmt::print("report: {}\n", Printable(path));
  return unreadable ? kExitUndecided : kExitOk;
}

}  // namespace

Command AddReportCommand(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("report", "a run as one HTML file");
  command->footer(kFooter);
  AddRunDirectory(*command, options->directory);
  command
      ->add_option("--placement", options->placement,
                   "a policy's name, or a decision's file (default: what the run judged)")
      ->type_name("PLACEMENT");
  AddTopologyOption(*command, options->hwloc_xml);
  command
      ->add_option("--output", options->output,
                   "the file to write; - is stdout (default: RUNDIR/report.html)")
      ->type_name("FILE");
  return {command, [options](const CommandLine& /*line*/) { return Run(*options); }};
}

}  // namespace railgauge
