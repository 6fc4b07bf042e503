// railgauge compare: a run held against a baseline.

#include <charconv>
#include <filesystem>
#include <system_error>

#include "cli/baselines.h"
#include "cli/ci_files.h"
#include "cli/command.h"
#include "cli/command_files.h"
#include "cli/messages.h"
#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/quoted.h"
#include "lib/compare/compare.h"
#include "lib/compare/comparison_results.h"
#include "lib/compare/comparison_text.h"
#include "lib/report/comparison_schema.h"
#include "lib/report/report_csv.h"
#include "lib/report/text_matrix.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "BASELINE is what `railgauge baseline make` wrote, or a run directory; RUN is a run directory "
    "of\n"
    "check. Cells are matched by instance type, NIC slot (where the NIC sits in the PCI tree),\n"
    "relation to the place, operation, direction, size, depth and registration way.\n"
    "  SLOWER   more than --margin lost, and certain: by the cell's own windows, by its NIC at "
    "all\n"
    "           places, or by this cell of all NICs\n"
    "  NOISY    more than --margin lost, and what was measured cannot tell\n"
    "  MISSING  the baseline has it, and RUN did not measure it; NEW is the reverse\n"
    "  FASTER   as SLOWER; SAME all else\n"
    "Exit status: 0 nothing is SLOWER, NOISY or MISSING; 1 something is SLOWER; 2 usage or set-up\n"
    "error, also where the two cannot be compared; 3 nothing is SLOWER, something NOISY or "
    "MISSING.\n"
    "Examples:\n"
    "  railgauge compare p5.csv results/run-20261129T165320Z-19f3\n"
    "  railgauge compare run-1 run-2 --margin=5% --csv_out=compare.csv";

struct Options {
  std::string baseline;
  std::string run;
  std::string margin = "10%";
  std::vector<std::string> hwloc_xml;
  std::string csv_out;
  bool baseline_only = false;
  CiFileOptions ci;
};

// "10%" as a share.
Result<double> ParseMargin(const std::string& text) {
  double percent = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, percent);
  if (error == std::errc() && end - rest == 1 && *rest == '%' && percent >= 0.1 && percent <= 90) {
    return percent / 100;
  }
  return Fail(MakeError("read --margin", Quoted(text), "it is no percentage from 0.1% to 90%",
                        "Write it like --margin=10%"));
}

// Of a file where a run directory is expected; samples.csv and census.csv stand for theirs.
Status CheckIsNoBaseline(const std::string& run) {
  const std::filesystem::path path(run);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || path.filename() == "samples.csv" ||
      path.filename() == "census.csv") {
    return {};
  }
  return Fail(MakeError("read RUN", run, "it is a file, and a run is a directory",
                        "The baseline comes first: railgauge compare BASELINE RUN"));
}

ExitStatus StatusOf(CompareVerdict whole) {
  switch (whole) {
    case CompareVerdict::kSlower:
      return kExitBad;
    case CompareVerdict::kMissing:
    case CompareVerdict::kNoisy:
      return kExitUndecided;
    default:
      return kExitOk;
  }
}

void Print(const Options& options, const Baseline& baseline, const RunReadings& run,
           const RunComparison& comparison, double margin) {
  uint64_t runs = 0;
  for (const BaselineRow& row : baseline.rows) runs = std::max(runs, row.run_count);
  fmt::print(
      "run {} of {} ({})\n{}\n", Shortened(run.run.run_id),
      run.run.instance_type.empty() ? "unknown instance type" : Shortened(run.run.instance_type),
      Shortened(run.run.platform),
      WrapText(fmt::format("baseline {}: {}, the newest {}", options.baseline, Counted(runs, "run"),
                           Shortened(baseline.run.run_id)),
               100, 2));
  fmt::print(
      "run / baseline, and the worst verdict on a NIC's cells: their median where it is SAME, "
      "else\n"
      "the farthest of those that have it; the margin is {:g} %\n\n{}",
      margin * 100, FormatComparison(comparison));
  if (comparison.left_out == 0) return;
  PrintNotes(
      {fmt::format("{} left out, which a baseline does not have: the measuring thread was "
                   "kept from its CPU in every window, or nothing completed",
                   Counted(comparison.left_out, "cell"))});
}

Result<ExitStatus> Run(const Options& options) {
  JudgeGates gates;
  RAILGAUGE_ASSIGN_OR_RETURN(gates.bad_placement, ParseMargin(options.margin));
  RAILGAUGE_ASSIGN_OR_RETURN(GivenTopologies topologies, GivenTopologies::Parse(options.hwloc_xml));
  CommandFiles files;
  files.ReadsRuns("BASELINE", options.baseline);
  files.ReadsRuns("RUN", options.run);
  files.ReadsTopologies(options.hwloc_xml);
  files.Writes("--csv_out", options.csv_out);
  DeclareCiFiles(options.ci, files);
  RAILGAUGE_RETURN_IF_ERROR(files.Check());
  RAILGAUGE_RETURN_IF_ERROR(CheckIsNoBaseline(options.run));
  std::vector<std::string> notes;
  RAILGAUGE_ASSIGN_OR_RETURN(const Baseline baseline,
                             ReadBaseline(options.baseline, topologies, notes));
  if (options.baseline_only) {
    fmt::print("baseline {}: {}; nothing was compared\n", Printable(options.baseline),
               Counted(baseline.rows.size(), "cell"));
    return kExitOk;
  }
  RAILGAUGE_ASSIGN_OR_RETURN(const RunReadings run, ReadOneRun(options.run, topologies, notes));
  RAILGAUGE_ASSIGN_OR_RETURN(
      const RunComparison comparison,
      CompareWithBaseline(baseline, options.baseline, run, options.run, gates));
  const ExitStatus status = StatusOf(comparison.whole);
  const std::string csv = CsvFile<ComparisonRow>(run.run, comparison.rows);
  const JunitSuite suite = ComparisonSuite(run.run, options.baseline, comparison);
  RAILGAUGE_RETURN_IF_ERROR(
      WriteCiFiles(options.ci, {&suite, 1}, ComparisonMetrics(run.run, status, comparison)));
  RAILGAUGE_RETURN_IF_ERROR(WriteOutput(options.csv_out, csv));
  PrintNotes(notes);
  PrintNotes(topologies.NotesOnUnused());
  if (options.csv_out != "-") Print(options, baseline, run, comparison, gates.bad_placement);
  return status;
}

}  // namespace

Command AddCompareCommand(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("compare", "hold a run against a baseline");
  command->footer(kFooter);
  command->add_option("BASELINE", options->baseline, "a baseline file, or a run directory")
      ->type_name("")
      ->required();
  command->add_option("RUN", options->run, "the run directory")->type_name("")->required();
  command
      ->add_option("--margin", options->margin,
                   "what a cell may lose (default: " + options->margin + ")")
      ->type_name("PERCENT");
  command->add_flag("--baseline-only", options->baseline_only,
                    "check BASELINE and the flags; RUN need not be there yet");
  AddTopologyOption(*command, options->hwloc_xml);
  command
      ->add_option("--csv_out", options->csv_out,
                   "also write compare.csv to FILE; - is stdout, alone")
      ->type_name("FILE");
  AddCiFileOptions(*command, options->ci);
  return {command, [options](const CommandLine& /*line*/) { return Run(*options); }};
}

}  // namespace railgauge
