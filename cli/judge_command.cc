// railgauge judge: verdicts on recorded runs, without hardware.

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <utility>

#include "cli/ci_files.h"
#include "cli/command.h"
#include "cli/command_files.h"
#include "cli/explain_hint.h"
#include "cli/judged_run.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/recorded_runs.h"
#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/file.h"
#include "lib/base/quoted.h"
#include "lib/placement/best_assignment_text.h"
#include "lib/placement/judge.h"
#include "lib/placement/whole_assignment.h"
#include "lib/report/finding_list.h"
#include "lib/report/matrix.h"
#include "lib/report/report_csv.h"
#include "lib/report/schema.h"
#include "lib/report/text_matrix.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "RUNDIR is what check wrote: its census.csv, samples.csv, topology.xml and run.json are read,\n"
    "nothing is measured and nothing in it is changed. With the placement that the run was for, "
    "the\n"
    "verdicts are those of its placement.csv; another placement is judged by what that run "
    "happened\n"
    "to measure. PLACEMENT is as for check; gpu3 counts in the order that CUDA had in the run.\n"
    "Many runs: RUNDIR may be a directory of run directories, or one whose census.csv and\n"
    "samples.csv hold the rows of many (cat run-*/samples.csv), each run's rows together. Then\n"
    "--hwloc-xml=TYPE=FILE gives the topology of an instance type, and only verdicts other than "
    "OK\n"
    "are shown, with the number of each.\n"
    "Rows that contradict themselves count as not valid; files that no run can have written are "
    "an\n"
    "error.\n"
    "Exit status: as of check, over all runs; 2 when a run could not be judged.\n"
    "Examples:\n"
    "  railgauge judge results/run-20261129T165320Z-19f3 --placement=nearest\n"
    "  railgauge judge run-1 --placement=nccl --csv_out=nccl-placement.csv\n"
    "  railgauge judge results --placement=nearest --csv_out=-\n"
    "  railgauge judge fleet --placement=nearest --hwloc-xml=p5.48xlarge=p5.xml";

struct Options {
  std::string directory;
  std::string placement;
  std::vector<std::string> hwloc_xml;
  std::string csv_out;
  std::string findings_out;
  CiFileOptions ci;
  ColorOption color;
};

// Judges run after run, and keeps of each no more than its verdicts.
class RunJudge {
 public:
  explicit RunJudge(const Options& options) : options_(options) {
    matrix_.color = options.color.UseColor();
  }

  void Take(Result<LoadedRun> loaded, bool many) {
    many_ = many;
    const Status status = loaded ? JudgeOne(*loaded) : Fail(loaded.error());
    if (status) return;
    ++errors_;
    // What holds of every run (no such policy) is told once.
    const std::string error = status.error().ToString();
    if (error != last_error_) PrintError("railgauge judge", status.error());
    last_error_ = error;
  }

  // Of what was left out, too.
  std::vector<std::string>& notes() { return notes_; }

  Result<ExitStatus> End() const;

 private:
  bool csv_alone() const { return options_.csv_out == "-"; }
  Status JudgeOne(const LoadedRun& loaded);
  void Print(const RunIdentity& run, const std::vector<PlacementRow>& placement,
             const std::vector<Finding>& findings) const;

  const Options& options_;
  bool many_ = false;
  MatrixOptions matrix_;
  std::string csv_;  // for a file
  std::string findings_csv_;
  std::string placement_;
  std::vector<JunitSuite> suites_;
  std::vector<MetricFamily> metrics_;  // of the only run
  VerdictCounts counts_;
  std::vector<std::string> notes_;
  size_t judged_ = 0;
  size_t errors_ = 0;
  std::string last_error_;
  bool bad_ = false;
  bool undecided_ = false;
};

Status RunJudge::JudgeOne(const LoadedRun& loaded) {
  RAILGAUGE_ASSIGN_OR_RETURN(const JudgedRun judged, JudgeLoadedRun(loaded, options_.placement));
  const auto& [decision, judgement, findings] = judged;
  const int status = ExitStatusOf(judgement.placement);
  bad_ = bad_ || status == kExitBad;
  undecided_ = undecided_ || status == kExitUndecided;
  ++judged_;
  for (const auto& [verdict, count] : CountVerdicts(judgement.placement)) counts_[verdict] += count;
  placement_ = decision.source;
  if (!options_.ci.junit.empty()) {
    suites_.push_back(PlacementSuite(loaded.run, decision.source, judgement.placement));
  }
  metrics_ = PlacementMetrics(loaded.run, "judge", status, judgement.summary, judgement.placement,
                              findings);
  std::string rows;
  for (const PlacementRow& row : judgement.placement) rows += CsvRow(loaded.run, row);
  if (judged_ == 1) rows = CsvHeader<PlacementRow>() + rows;
  if (!options_.findings_out.empty()) {
    if (judged_ == 1) findings_csv_ = CsvHeader<Finding>();
    for (const Finding& finding : findings) findings_csv_ += CsvRow(loaded.run, finding);
  }
  if (csv_alone()) {
    std::fwrite(rows.data(), 1, rows.size(), stdout);
  } else {
    if (!options_.csv_out.empty()) csv_ += rows;
    Print(loaded.run, judgement.placement, findings);
    if (!many_) {
      fmt::print(
          "{}{}",
          AdviceOf(*loaded.machine, loaded.census, loaded.samples, decision, options_.directory),
          ExplainHint(options_.directory, judgement.placement));
    }
  }
  notes_.insert(notes_.end(), loaded.notes.begin(), loaded.notes.end());
  return {};
}

void RunJudge::Print(const RunIdentity& run, const std::vector<PlacementRow>& placement,
                     const std::vector<Finding>& findings) const {
  const std::string what = fmt::format(
      "{} ({})", run.instance_type.empty() ? "unknown instance type" : Shortened(run.instance_type),
      Shortened(run.platform));
  if (!many_) {
    fmt::print("run {} of {}\nplacement: {}\n{}{}{}", Shortened(run.run_id), what,
               Printable(placement_), FormatVerdicts(placement, matrix_),
               FormatWhole(JudgeWhole(placement_, placement), matrix_),
               FormatFindings(findings, matrix_));
    return;
  }
  if (judged_ == 1) fmt::print("placement: {}\n", Printable(placement_));
  std::vector<PlacementRow> told;
  std::copy_if(placement.begin(), placement.end(), std::back_inserter(told),
               [](const PlacementRow& row) { return row.verdict != Verdict::kOk; });
  const std::string head =
      fmt::format("run {} of {}, {}: {}", Shortened(run.run_id), Shortened(run.host), what,
                  FormatCounts(CountVerdicts(placement)));
  fmt::print("{}\n{}{}", WrapText(head, matrix_.width, 2), FormatVerdictRows(told, matrix_),
             FormatFindings(findings, matrix_));
}

Result<ExitStatus> RunJudge::End() const {
  if (judged_ > 0 && !options_.csv_out.empty() && !csv_alone()) {
    RAILGAUGE_RETURN_IF_ERROR(WriteFileAtomically(options_.csv_out, csv_));
  }
  if (!options_.findings_out.empty() && judged_ > 0) {
    RAILGAUGE_RETURN_IF_ERROR(WriteFileAtomically(options_.findings_out, findings_csv_));
  }
  if (judged_ > 0) RAILGAUGE_RETURN_IF_ERROR(WriteCiFiles(options_.ci, suites_, metrics_));
  PrintNotes(notes_);
  if (many_ && !csv_alone()) {
    fmt::print("{} judged: {}\n", Counted(judged_, "run"), FormatCounts(counts_));
  }
  if (many_ && errors_ > 0) {
    PrintNotes(
        {fmt::format("{} could not be judged, for the reasons above", Counted(errors_, "run"))});
  }
  if (errors_ > 0) return kExitError;
  return bad_ ? kExitBad : undecided_ || judged_ == 0 ? kExitUndecided : kExitOk;
}

Result<ExitStatus> Run(const Options& options) {
  RAILGAUGE_ASSIGN_OR_RETURN(GivenTopologies topologies, GivenTopologies::Parse(options.hwloc_xml));
  CommandFiles files;
  files.ReadsRuns("RUNDIR", options.directory);
  files.ReadsPlacement(options.placement);
  files.ReadsTopologies(options.hwloc_xml);
  files.Writes("--csv_out", options.csv_out, FileNameOf<PlacementRow>());
  files.WritesBeside("--findings_out", options.findings_out, FileNameOf<Finding>());
  DeclareCiFiles(options.ci, files);
  RAILGAUGE_RETURN_IF_ERROR(files.Check());
  std::optional<Error> if_many;
  if (!options.ci.openmetrics.empty()) {
    if_many = MakeError("write --openmetrics", options.ci.openmetrics,
                        "a file of metrics is of one run, and RUNDIR names several",
                        "Judge one run directory");
  }
  RunJudge judge(options);
  RunsSeen seen;
  RAILGAUGE_RETURN_IF_ERROR(ForEachRun(
      options.directory, topologies, seen,
      [&](Result<LoadedRun> loaded, bool many) { judge.Take(std::move(loaded), many); },
      judge.notes(), if_many));
  const std::vector<std::string> unused = topologies.NotesOnUnused();
  judge.notes().insert(judge.notes().end(), unused.begin(), unused.end());
  return judge.End();
}

}  // namespace

Command AddJudgeCommand(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("judge", "judge a placement by a recorded run");
  command->footer(kFooter);
  AddRunDirectory(*command, options->directory);
  command->add_option("--placement", options->placement, "a policy's name, or a decision's file")
      ->type_name("PLACEMENT")
      ->required();
  AddTopologyOption(*command, options->hwloc_xml);
  command
      ->add_option("--csv_out", options->csv_out,
                   "also write placement.csv to FILE; - is stdout, alone")
      ->type_name("FILE");
  command->add_option("--findings_out", options->findings_out, "also write findings.csv to FILE")
      ->type_name("FILE");
  AddCiFileOptions(*command, options->ci);
  AddColorOption(*command, options->color);
  return {command, [options](const CommandLine& /*line*/) { return Run(*options); }};
}

}  // namespace railgauge
