// railgauge check: measures what a placement claims and judges it.

#include <algorithm>
#include <cstdio>
#include <initializer_list>

#include "cli/busy_nics.h"
#include "cli/ci_files.h"
#include "cli/command.h"
#include "cli/command_files.h"
#include "cli/dry_run.h"
#include "cli/explain_hint.h"
#include "cli/interrupt.h"
#include "cli/measuring.h"
#include "cli/measuring_options.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/peering.h"
#include "cli/quantities.h"
#include "cli/selection.h"
#include "cli/session.h"
#include "cli/taking_census.h"
#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/placement/best_assignment_text.h"
#include "lib/placement/correlation.h"
#include "lib/placement/decision.h"
#include "lib/placement/gates.h"
#include "lib/placement/import/import.h"
#include "lib/placement/judge.h"
#include "lib/placement/run_judgement.h"
#include "lib/placement/sentences.h"
#include "lib/placement/whole_assignment.h"
#include "lib/report/finding_list.h"
#include "lib/report/matrix.h"
#include "lib/report/run_directory.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "PLACEMENT is a policy (nearest, nixl, nccl, mooncake, ucx, ompi, ompi-gpu, numa,\n"
    "enumeration, vendor-map; railgauge policies shows what each chooses), or a file: CSV with "
    "the\n"
    "header consumer,nic and one pair per row, e.g. gpu:0000:53:00.0,rdmap79s0, or what a\n"
    "framework or scheduler writes. The format is detected, or given as FORMAT:FILE:\n"
    "  csv, nccl-topology, nccl-log, mooncake, ucx, slurm, kubernetes, and "
    "nccl-graph:GRAPH,TOPOLOGY\n"
    "A file named like a policy is written ./nearest. Of several --sizes the largest is judged.\n"
    "Exit status: 0 all judged and OK; 1 a SLOW, WRONG, OVERSUBSCRIBED or IDLE verdict; 2 usage "
    "or\n"
    "set-up error; 3 something is NOISY, INVALID or UNDECIDED, or nothing could be judged.\n"
    "Examples:\n"
    "  railgauge check --placement=nearest\n"
    "  railgauge check --placement=decision.csv --time-budget=2min --output=run-1\n"
    "  railgauge check --placement=nearest --places=gpu0 --dry-run\n"
    "  railgauge check --placement=nearest --peer=node-b --token=rail.token\n"
    "  railgauge check --placement=nearest --emulate=p5.48xlarge";

struct Options : MeasuringOptions {
  std::string placement;
  bool unjudged = false;
  CiFileOptions ci;
};

// What is not selected is not measured, and so not judged; without this the run would end in a
// shrug.
Status CheckSomethingIsJudged(const Decision& decision, const Selection& selection) {
  for (const Assignment& assignment : decision.assignments) {
    if (Selected(selection, assignment.consumer)) return {};
  }
  if (decision.assignments.front().consumer.kind == MemoryPlace::Kind::kAccelerator) {
    return Fail(MakeError("judge placement", decision.source,
                          "the memory of accelerators that are no CUDA GPU cannot be measured yet",
                          "Judge what serves the NUMA nodes, e.g. --placement=nearest"));
  }
  std::string consumers;
  for (const Assignment& assignment : decision.assignments) {
    consumers += (consumers.empty() ? "" : ", ") + assignment.consumer.ToString();
  }
  return Fail(MakeError("judge placement", decision.source,
                        "none of its consumers is among --places: " + consumers,
                        "Select at least one of them, or measure without a verdict: --unjudged"));
}

// Said before anything is measured, as the user may have meant other flags.
void NoteLeftOut(const Decision& decision, const Selection& selection, Session& session) {
  for (const Assignment& assignment : decision.assignments) {
    const std::vector<NicKey> nics = LeftOut(assignment, selection);
    if (nics.empty() || !Selected(selection, assignment.consumer)) continue;
    session.notes.push_back(fmt::format("{} of {} not among --nics and not measured: {}",
                                        Counted(nics.size(), "NIC"), assignment.consumer.ToString(),
                                        ListOf(nics)));
  }
}

void PrintReport(const Options& options, const Session& session, std::span<const CensusRow> census,
                 const Decision& decision, const Judgement& judgement, const AssignmentRow& whole,
                 std::span<const Finding> findings) {
  const bool color = options.color.UseColor();
  PrintMachine(session);
  MatrixOptions matrix;
  matrix.color = color;
  fmt::print("{}\n", FormatThroughput(session.machine, census, judgement.summary, matrix));
  fmt::print("placement: {}\n{}{}{}", Printable(decision.source),
             FormatVerdicts(judgement.placement, matrix), FormatWhole(whole, matrix),
             FormatFindings(findings, matrix));
}

// Of steps that are each tried whatever became of the others: a disk too full for one file may
// have room for the next.
Status FirstError(std::initializer_list<Status> steps) {
  for (const Status& step : steps) RAILGAUGE_RETURN_IF_ERROR(step);
  return {};
}

// What was found, for the programs that asked for it.
Status WriteForPrograms(const Options& options, const Session& session, const Decision& decision,
                        ExitStatus status, const Judgement& judgement,
                        std::span<const Finding> findings) {
  const JunitSuite suite = PlacementSuite(session.run, decision.source, judgement.placement);
  return WriteCiFiles(options.ci, {&suite, 1},
                      PlacementMetrics(session.run, "check", status, judgement.summary,
                                       judgement.placement, findings));
}

Result<ExitStatus> Run(const Options& options, const CommandLine& line) {
  MeasuringRequest request;
  RAILGAUGE_ASSIGN_OR_RETURN(request.sizes, ParseSizes(options.sizes));
  RAILGAUGE_ASSIGN_OR_RETURN(request.budget, ParseTimeBudget(options.time_budget));
  request.budget_text = options.time_budget;
  RAILGAUGE_RETURN_IF_ERROR(CheckPeerFlags(options.peer));
  CommandFiles files;
  files.ReadsPlacement(options.placement);
  DeclareMeasuringFiles(options, files);
  DeclareCiFiles(options.ci, files);
  RAILGAUGE_RETURN_IF_ERROR(files.Check());
  RAILGAUGE_ASSIGN_OR_RETURN(Session session, OpenSession(options.machine));
  RAILGAUGE_RETURN_IF_ERROR(CheckSizesFit(request.sizes, session.places));
  RAILGAUGE_ASSIGN_OR_RETURN(
      const Decision decision,
      DecidePlacement(options.placement, session.machine, session.cuda_order));
  const Selection selection{session.nics, session.places};
  if (!options.unjudged) {
    RAILGAUGE_RETURN_IF_ERROR(CheckSomethingIsJudged(decision, selection));
  }
  NoteLeftOut(decision, selection, session);
  const std::string why_nothing = WhyNothingIsMeasurable(session);
  if (options.dry_run) {
    if (why_nothing.empty()) {
      fmt::print("{}", FormatMeasuringPlan(session, request, decision));
      PrintNotes(session.notes);
      return kExitOk;
    }
    fmt::print("plan: {}\n", why_nothing);
    return kExitUndecided;
  }
  if (!why_nothing.empty()) session.notes.push_back(why_nothing);
  RAILGAUGE_RETURN_IF_ERROR(
      CheckNotBusy(UsedNics(session, options.peer.peer.empty()), options.allow_busy, session));
  RAILGAUGE_ASSIGN_OR_RETURN(auto peer, ConnectToPeer(options.peer, session.run, session.machine));
  if (peer != nullptr) {
    RAILGAUGE_RETURN_IF_ERROR(CheckPeerNotBusy(*peer, options.allow_busy, session));
    NotePeer(*peer, session);
  }
  RAILGAUGE_ASSIGN_OR_RETURN(RunDirectory directory,
                             RunDirectory::Create(session.run, options.output));
  RAILGAUGE_RETURN_IF_ERROR(WriteRunInfo(directory, session, "check", line, std::nullopt));
  RAILGAUGE_RETURN_IF_ERROR(WriteTopology(options.machine, directory));
  RAILGAUGE_ASSIGN_OR_RETURN(const std::vector<CensusRow> census,
                             TakeCensus(session, session.nics, session.census_places));
  RAILGAUGE_RETURN_IF_ERROR(directory.Write<CensusRow>(census));

  const JudgeGates gates;
  RAILGAUGE_ASSIGN_OR_RETURN(
      const Measured measured,
      MeasureForDecision(session, request, census, decision, gates, directory, std::move(peer)));
  if (Interrupted())
    session.notes.emplace_back("interrupted: judged by what was measured until then");

  // With the whole decision, so that a NIC which a consumer that is not selected uses is not idle.
  auto [judgement, findings] = JudgeRun(session.machine, census, measured.samples, decision, gates);
  ApplySelection(selection, judgement.placement);
  const AssignmentRow whole = JudgeWhole(decision.source, judgement.placement);
  const std::vector<InterconnectRow> interconnects = Correlate(census, measured.samples, gates);
  auto status = static_cast<ExitStatus>(ExitStatusOf(judgement.placement));
  // Nothing bad was found in what was measured; that is less than what was asked for.
  if (measured.peer_gone && status == kExitOk) status = kExitUndecided;
  PrintReport(options, session, census, decision, judgement, whole, findings);
  fmt::print("{}", AdviceOf(session.machine, census, measured.samples, decision, directory.path()));
  const Status written =
      FirstError({measured.written, directory.Write<InterconnectRow>(interconnects),
                  directory.Write<SummaryRow>(judgement.summary),
                  directory.Write<PlacementRow>(judgement.placement),
                  directory.Write<AssignmentRow>({&whole, 1}), directory.Write<Finding>(findings)});
  const Status run_info = WriteRunInfo(directory, session, "check", line,
                                       written ? status : kExitError, Thresholds(gates));
  const Status for_programs =
      WriteForPrograms(options, session, decision, status, judgement, findings);
  fmt::print("{}{}run directory: {}\n", ExplainHint(directory.path(), judgement.placement),
             PageHint(directory.path()), directory.path());
  RAILGAUGE_RETURN_IF_ERROR(FirstError({written, run_info, for_programs}));
  PrintNotes(session.notes);
  return status;
}

}  // namespace

Command AddCheckCommand(CLI::App& app) {
  auto options = std::make_shared<Options>();
  options->time_budget = "45s";
  CLI::App* command = app.add_subcommand("check", "measure what a placement claims and judge it");
  command->footer(kFooter);
  command->add_option("--placement", options->placement, "a policy's name, or a decision's file")
      ->type_name("PLACEMENT")
      ->required();
  AddMeasuringOptions(*command, *options);
  command->add_flag("--unjudged", options->unjudged,
                    "measure also where the placement serves none of --places");
  AddCiFileOptions(*command, options->ci);
  return {command, [options](const CommandLine& line) { return Run(*options, line); }};
}

}  // namespace railgauge
