// railgauge baseline make: what machines of an instance type carry, from runs of them.

#include <map>

#include "cli/baselines.h"
#include "cli/command.h"
#include "cli/command_files.h"
#include "cli/messages.h"
#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/quoted.h"
#include "lib/report/comparison_schema.h"
#include "lib/report/report_csv.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "Exit status: 0 written; 2 usage or set-up error.\n"
    "Examples:\n"
    "  railgauge baseline make run-1 run-2 run-3 --output=p5.csv\n"
    "  railgauge compare p5.csv run-4";

constexpr char kMakeFooter[] =
    "RUN is a run directory of check, or a directory of such, of machines that are known to be "
    "good:\n"
    "of one instance type, measured alike. Eight runs or more say how much runs differ; what "
    "fewer\n"
    "cannot say is taken from their windows or from the NICs' likeness (results/README.md).\n"
    "The file names no host: NICs are named by their slot, memory places by their class.\n"
    "Exit status: 0 written; 2 usage or set-up error, also where two runs are not alike.\n"
    "Examples:\n"
    "  railgauge baseline make results/run-* --output=p5.csv\n"
    "  railgauge baseline make good-hosts --output=results/baselines/p5.48xlarge.csv";

struct Options {
  std::vector<std::string> runs;
  std::vector<std::string> hwloc_xml;
  std::string output;
};

Result<ExitStatus> Make(const Options& options) {
  RAILGAUGE_ASSIGN_OR_RETURN(GivenTopologies topologies, GivenTopologies::Parse(options.hwloc_xml));
  CommandFiles files;
  for (const std::string& run : options.runs) files.ReadsRuns("RUN", run);
  files.ReadsTopologies(options.hwloc_xml);
  files.Writes("--output", options.output);
  RAILGAUGE_RETURN_IF_ERROR(files.Check());
  std::vector<std::string> notes;
  RAILGAUGE_ASSIGN_OR_RETURN(const Baseline baseline,
                             MakeBaselineOf(options.runs, topologies, notes));
  RAILGAUGE_RETURN_IF_ERROR(
      WriteOutput(options.output, CsvFile<BaselineRow>(baseline.run, baseline.rows)));
  PrintNotes(notes);
  PrintNotes(topologies.NotesOnUnused());
  if (options.output == "-") return kExitOk;
  std::map<std::string, size_t> sources;
  uint64_t runs = 0;
  for (const BaselineRow& row : baseline.rows) {
    ++sources[row.interval_source];
    runs = std::max(runs, row.run_count);
  }
  fmt::print("baseline of {} of {} ({}): {} in {}\n", Counted(runs, "run"),
             baseline.run.instance_type.empty() ? "unknown instance type"
                                                : Shortened(baseline.run.instance_type),
             Shortened(baseline.run.platform), Counted(baseline.rows.size(), "cell"),
             Printable(options.output));
  for (const auto& [source, count] : sources) {
    fmt::print("  {} with an interval {}\n", Counted(count, "cell"),
               source.empty()      ? "of nothing: fewer than 8 runs, windows and like NICs"
               : source == "class" ? "of the same cell in other slots"
                                   : "of their " + source);
  }
  return kExitOk;
}

}  // namespace

Command AddBaselineCommand(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("baseline", "make a baseline of good runs, for compare");
  command->footer(kFooter);
  command->require_subcommand(1);
  CLI::App* make = command->add_subcommand("make", "make a baseline file of runs");
  make->footer(kMakeFooter);
  make->add_option("RUN", options->runs, "run directories")->type_name("")->required()->take_all();
  make->add_option("--output", options->output, "the baseline file; - is stdout")
      ->type_name("FILE")
      ->required();
  AddTopologyOption(*make, options->hwloc_xml);
  return {command, [options](const CommandLine& /*line*/) { return Make(*options); }};
}

}  // namespace railgauge
