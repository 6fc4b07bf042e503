// railgauge fleet report: what is slow in a fleet, and whose fault it is.

#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "cli/command_files.h"
#include "cli/fleet_command.h"
#include "cli/fleet_pages.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/file.h"
#include "lib/base/shell_word.h"
#include "lib/fleet/confirmation.h"
#include "lib/fleet/confirmation_reader.h"
#include "lib/fleet/fleet_analysis.h"
#include "lib/fleet/fleet_reader.h"
#include "lib/fleet/fleet_report.h"
#include "lib/fleet/fleet_tree.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "Each NIC slot of each node is held against the same slot of all machines of its type, by\n"
    "operation, direction, class of place and size. What stands out is a SUSPECT, and SLOW once\n"
    "fleet run measured it again, in turn with a healthy machine. cause says whether it is a nic, "
    "a\n"
    "nic with some places alone, a machine, or the path between two that are well with others.\n"
    "Writes fleet.csv, fleet.md and fleet.html in DIR; fleet.html opens in any browser, and links "
    "to\n"
    "the pages of the runs that what stands out rests on, which are written, too. What a run that "
    "was\n"
    "cut short measured counts.\n"
    "Exit status: 0 all is OK; 1 a SLOW or MISSING; 2 usage error; 3 a SUSPECT or UNMEASURED.\n"
    "Examples:\n"
    "  railgauge fleet report night-1\n"
    "  railgauge fleet report night-1 --csv_out=- | column -s, -t";

struct Options {
  std::string directory;
  std::string csv_out;
  ColorOption color;
};

// Of nodes without a run of their own: what their attempts left, or why their run does not count.
std::map<size_t, std::string> WhyUnmeasured(const std::map<PlannedPair, std::string>& of_pairs,
                                            const FleetRecords& records) {
  std::map<size_t, std::string> why = records.unusable;
  for (const auto& [pair, reason] : of_pairs) why.try_emplace(pair.initiator, reason);
  return why;
}

// Where to look for why, of the first row that is slow or a suspect and was measured as initiator.
std::string WhereToLook(const FleetTree& tree, const FleetPlan& plan,
                        const FleetVerdicts& verdicts) {
  for (const FleetRow& row : verdicts.rows) {
    const bool stands_out =
        row.verdict == FleetVerdict::kSlow || row.verdict == FleetVerdict::kSuspect;
    if (!stands_out || !row.as_initiator) continue;
    return fmt::format(
        "why: railgauge explain {} {}\n",
        ShellWord(tree.RunPath(plan.nodes[row.node].name, plan.nodes[row.as_initiator->peer].name)),
        row.slot->ToString());
  }
  return "";
}

// Pairs of the plan that fleet run would measure, since no whole run of them is there.
size_t PairsToMeasure(const FleetPlan& plan, const FleetRecords& records) {
  size_t pairs = 0;
  for (const auto& round : plan.rounds) {
    for (const PlannedPair& pair : round) {
      const auto there = records.not_whole.find(pair);
      if (there == records.not_whole.end() || !there->second.empty()) ++pairs;
    }
  }
  return pairs;
}

// Suspicions that it would measure again.
size_t RoundsToMeasure(const FleetPlan& plan, const FleetTable& table,
                       const FleetAnalysis& analysis, const std::vector<FleetEvidence>& evidence) {
  size_t suspicions = 0;
  for (size_t i = 0; i < evidence.size(); ++i) {
    std::set<size_t> taken;
    if (evidence[i].rounds.size() < kConfirmRounds &&
        PlanConfirmation(analysis.suspicions[i], plan, table, analysis, taken)) {
      ++suspicions;
    }
  }
  return suspicions;
}

// What to do about what is not OK and not slow; `to_measure`: what fleet run would measure.
void PrintNextSteps(const std::string& directory, const FleetPlan& plan,
                    const FleetVerdicts& verdicts, size_t to_measure) {
  for (const FleetRow& row : verdicts.rows) {
    if (row.verdict != FleetVerdict::kMissing) continue;
    fmt::print("next: at {}, railgauge census shows which NICs it has now\n",
               plan.nodes[row.node].name);
    break;
  }
  if (to_measure > 0) fmt::print("next: railgauge fleet run {}\n", ShellWord(directory));
}

// Its files are beside what it reads: the plan, the secret, and all runs of the tree.
Status CheckFiles(const FleetTree& tree, const std::string& csv, const std::string& markdown) {
  CommandFiles files;
  files.ReadsRuns("DIR", tree.root());
  files.Reads("DIR", {tree.PlanPath(), tree.TokenPath(), tree.LockPath()});
  for (const std::string& suspicion : tree.SuspicionsThere()) {
    files.Reads("DIR", tree.ConfirmPath(suspicion) + "/suspicion.json");
  }
  files.Writes("fleet.md", markdown);
  files.Writes("fleet.html", FleetPagePath(tree));
  files.Writes("--csv_out", csv);
  RAILGAUGE_RETURN_IF_ERROR(files.Check());
  return csv == "-" ? Status() : CheckOutsideRuns(csv, "write --csv_out");
}

// Writes the pages and says how to open the fleet's.
Status WritePages(const FleetTree& tree, FleetPageInput input, bool print) {
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string page, WriteFleetPages(tree, std::move(input)));
  if (!page.empty() && print) fmt::print("page, for a browser: {}\n", Printable(page));
  return {};
}

Result<ExitStatus> Run(const Options& options) {
  RAILGAUGE_ASSIGN_OR_RETURN(const FleetTree tree, FleetTree::At(options.directory));
  RAILGAUGE_ASSIGN_OR_RETURN(const FleetPlan plan, tree.ReadPlan());
  const std::string markdown_path = tree.root() + "/fleet.md";
  const std::string csv_path =
      options.csv_out.empty() ? tree.root() + "/fleet.csv" : options.csv_out;
  RAILGAUGE_RETURN_IF_ERROR(CheckFiles(tree, csv_path, markdown_path));
  FleetRecords records = ReadFleet(tree, plan, ReadingThreads());
  HoldRunsAgainstEachOther(plan, records);
  const FleetAnalysis analysis = Analyse(records.table);
  ConfirmationReader reader(tree, plan, records.table);
  std::vector<FleetEvidence> evidence;
  std::vector<std::vector<PairedRound>> rounds;
  for (const Suspicion& suspicion : analysis.suspicions) {
    ConfirmationRounds read = reader.Read(suspicion);
    rounds.push_back(read.rounds);
    evidence.push_back({std::move(read.plan), std::move(read.rounds)});
  }
  records.notes.insert(records.notes.end(), reader.notes().begin(), reader.notes().end());
  const std::vector<ConfirmationOutcome> outcomes = JudgeConfirmations(rounds);
  std::map<PlannedPair, std::string> why_pairs = WhyPairsAreUnmeasured(tree, plan);
  const FleetVerdicts verdicts =
      JudgeFleet(plan, records.table, analysis, outcomes, WhyUnmeasured(why_pairs, records));
  const std::string csv = FleetCsv(plan, verdicts);
  RAILGAUGE_RETURN_IF_ERROR(WriteOutput(markdown_path, FleetMarkdown(plan, verdicts)));
  RAILGAUGE_RETURN_IF_ERROR(WriteOutput(csv_path, csv));
  if (options.csv_out != "-") {
    fmt::print("{}, {}, {}\n{}{}", Counted(plan.nodes.size(), "node"),
               Counted(records.table.runs().size(), "run"), Counted(records.rows, "row"),
               FleetText(plan, verdicts, options.color.UseColor()),
               WhereToLook(tree, plan, verdicts));
    PrintNextSteps(
        options.directory, plan, verdicts,
        PairsToMeasure(plan, records) + RoundsToMeasure(plan, records.table, analysis, evidence));
  }
  RAILGAUGE_RETURN_IF_ERROR(WritePages(tree,
                                       {.plan = plan,
                                        .table = records.table,
                                        .analysis = analysis,
                                        .verdicts = verdicts,
                                        .outcomes = outcomes,
                                        .evidence = evidence,
                                        .why_unmeasured = std::move(why_pairs),
                                        .notes = records.notes,
                                        .windows = records.rows},
                                       options.csv_out != "-"));
  PrintNotes(records.notes);
  if (records.other_slot > 0) {
    PrintNotes({Counted(records.other_slot, "window") +
                " left out: the other node has no NIC in the same slot"});
  }
  if (records.disturbed > 0) {
    PrintNotes({Counted(records.disturbed, "window") +
                " left out: the measuring thread was kept from its CPU, so the nodes are busy"});
  }
  return static_cast<ExitStatus>(ExitStatusOf(verdicts));
}

}  // namespace

Command AddFleetReportCommand(CLI::App& fleet) {
  auto options = std::make_shared<Options>();
  CLI::App* command = fleet.add_subcommand("report", "say what is slow, and whose fault it is");
  command->footer(kFooter);
  command->add_option("DIR", options->directory, "the fleet's folder")->type_name("")->required();
  command
      ->add_option("--csv_out", options->csv_out,
                   "also write fleet.csv to FILE; - is stdout, alone")
      ->type_name("FILE");
  AddColorOption(*command, options->color);
  return {command, [options](const CommandLine&) { return Run(*options); }};
}

}  // namespace railgauge
