// railgauge plan: the best assignment by a recorded run, as a decision and as settings. No
// hardware.

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "cli/command.h"
#include "cli/command_files.h"
#include "cli/messages.h"
#include "cli/recorded_runs.h"
#include "fmt/core.h"
#include "fmt/format.h"
#include "lib/base/counted.h"
#include "lib/base/nearest.h"
#include "lib/base/quoted.h"
#include "lib/placement/best_assignment.h"
#include "lib/placement/best_assignment_text.h"
#include "lib/placement/import/import.h"
#include "lib/placement/run_table.h"
#include "lib/placement/settings/settings.h"
#include "lib/report/report_file.h"
#include "lib/report/text_matrix.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "RUNDIR is what check wrote: its census.csv, samples.csv, topology.xml and placement.csv are\n"
    "read, nothing is measured and nothing in it is changed. Of all assignments the one is "
    "printed\n"
    "whose worst consumer gets most, then with the most in total, then the nearest. A consumer's\n"
    "throughput is the sum over its NICs in its worst operation and direction; a NIC of k "
    "consumers\n"
    "gives each 1/k. Pairs that were not measured are no candidates. What consumers share "
    "(uplinks,\n"
    "memory) bounds them where a run of load measured it: --load. Told is the gain over "
    "PLACEMENT;\n"
    "--output writes the best as a decision, for check --placement=FILE.\n"
    "Settings count GPUs in PCI order (CUDA_DEVICE_ORDER=PCI_BUS_ID); lines that begin with # say\n"
    "what a framework cannot be told.\n"
    "Exit status: 0 told; 2 usage or set-up error.\n"
    "Examples:\n"
    "  railgauge plan results/run-20261129T165320Z-19f3 --output=best.csv\n"
    "  railgauge check --placement=best.csv\n"
    "  railgauge plan run-1 --placement=nccl --settings=libfabric,slurm\n"
    "  railgauge plan run-1 --load=load-1 --settings=mooncake --settings_out=topology.json";

struct Options {
  std::string directory;
  std::vector<std::string> hwloc_xml;
  std::string placement;
  std::string load;
  std::string output;
  std::string settings;
  std::string settings_out;
};

// What the run itself was for.
Result<Decision> RecordedDecision(const LoadedRun& run) {
  constexpr char kAdvice[] = "Name a placement to compare with: --placement=nearest";
  const std::string path = ReportPath<PlacementRow>(run.directory);
  if (::access(path.c_str(), R_OK) != 0) return Fail(ErrnoError(errno, "open", path, kAdvice));
  RAILGAUGE_ASSIGN_OR_RETURN(const auto rows,
                             ReadRunTable<PlacementRow>(run.directory, run.run, run.machine.get()));
  Decision decision{"that of the run", {}};
  for (const PlacementRow& row : rows) {
    const bool is_decision = row.verdict != Verdict::kIdle && !row.chosen.empty();
    if (is_decision) decision.assignments.push_back({row.consumer, row.chosen});
  }
  if (decision.assignments.empty()) {
    return Fail(MakeError("read", path, "it has no consumer with a NIC", kAdvice));
  }
  return decision;
}

Result<std::vector<const Framework*>> ChosenFrameworks(const std::string& list) {
  std::vector<const Framework*> chosen;
  std::vector<std::string> names;
  for (const Framework& framework : Frameworks()) {
    names.emplace_back(framework.name);
    if (list == "all") chosen.push_back(&framework);
  }
  if (list == "all" || list.empty()) return chosen;
  for (std::string_view rest = list;;) {
    const size_t comma = rest.find(',');
    const std::string_view name = rest.substr(0, comma);
    const Framework* framework = FindFramework(name);
    if (framework == nullptr) {
      const auto nearest = Nearest(name, names);
      return Fail(MakeError(
          "--settings", list, "there are no settings for " + Quoted(name),
          nearest ? "Write " + *nearest
                  : fmt::format("There are those of {}, and all", fmt::join(names, ", "))));
    }
    if (std::find(chosen.begin(), chosen.end(), framework) != chosen.end()) {
      return Fail(MakeError("--settings", Quoted(name), "it is in the list twice",
                            "Name each framework once"));
    }
    chosen.push_back(framework);
    if (comma == std::string_view::npos) return chosen;
    rest.remove_prefix(comma + 1);
  }
}

std::string CommentLines(const std::string& sentence) {
  std::string text = "# ";
  for (const char c : WrapText(sentence, 98, 0)) {
    text += c;
    if (c == '\n') text += "# ";
  }
  return text + "\n";
}

// As a section between others, where comments tell whose it is.
std::string Section(const Framework& framework, const Settings& settings) {
  std::string text = fmt::format("# ---- {}: {}\n", framework.name, framework.what);
  for (const std::string& limit : settings.limits) text += CommentLines(limit);
  return text + CommentLines(fmt::format("Source: {}.", framework.source)) + settings.text;
}

// One framework's settings go to a file as they are, so that the framework reads it; several as
// sections.
Result<std::string> SettingsText(const std::vector<const Framework*>& frameworks,
                                 const Machine& machine, const Decision& decision, bool alone) {
  std::string text;
  for (const Framework* framework : frameworks) {
    const Settings settings = framework->render(machine, decision);
    if (frameworks.size() == 1 && alone) {
      if (!settings.text.empty()) return settings.text;
      return Fail(MakeError(
          "--settings", std::string(framework->name),
          settings.limits.empty() ? "nothing can be said to it" : settings.limits.front()));
    }
    text += (text.empty() ? "" : "\n") + Section(*framework, settings);
  }
  return text;
}

struct Inputs {
  RunIdentity run;
  Machine machine;
  Decision given;
  BestAssignment best;
  std::vector<std::string> notes;
};

Result<Inputs> ReadInputs(const Options& options) {
  RAILGAUGE_ASSIGN_OR_RETURN(GivenTopologies topologies, GivenTopologies::Parse(options.hwloc_xml));
  RAILGAUGE_ASSIGN_OR_RETURN(LoadedRun loaded, LoadOneRun(options.directory, topologies));
  if (loaded.samples.empty()) {
    return Fail(MakeError("read", loaded.directory + "/samples.csv", "it has no sample",
                          "Give a run that measured something"));
  }
  Inputs inputs;
  inputs.notes = std::move(loaded.notes);
  for (std::string& note : topologies.NotesOnUnused()) inputs.notes.push_back(std::move(note));
  inputs.run = loaded.run;
  inputs.machine = *loaded.machine;
  RAILGAUGE_RETURN_IF_ERROR(inputs.machine.CheckHasNics());
  RAILGAUGE_ASSIGN_OR_RETURN(
      inputs.given, options.placement.empty()
                        ? RecordedDecision(loaded)
                        : DecidePlacement(options.placement, inputs.machine, loaded.cuda_order));
  std::vector<GroupRow> groups;
  if (!options.load.empty()) {
    // Of another run, on this machine.
    RAILGAUGE_ASSIGN_OR_RETURN(groups, ReadRunTable<GroupRow>(options.load, {}, &inputs.machine));
  }
  RAILGAUGE_ASSIGN_OR_RETURN(inputs.best, FindBestAssignment(inputs.machine, loaded.census,
                                                             loaded.samples, inputs.given, groups));
  return inputs;
}

Result<ExitStatus> Run(const Options& options) {
  if (options.settings.empty() && !options.settings_out.empty()) {
    return Fail(MakeError("--settings_out", options.settings_out, "no settings are asked for",
                          "Add --settings=NAME"));
  }
  RAILGAUGE_ASSIGN_OR_RETURN(const auto frameworks, ChosenFrameworks(options.settings));
  CommandFiles files;
  files.ReadsRuns("RUNDIR", options.directory);
  files.ReadsRuns("--load", options.load);
  files.ReadsPlacement(options.placement);
  files.ReadsTopologies(options.hwloc_xml);
  files.Writes("--output", options.output);
  files.Writes("--settings_out", options.settings_out);
  RAILGAUGE_RETURN_IF_ERROR(files.Check());
  RAILGAUGE_ASSIGN_OR_RETURN(const Inputs inputs, ReadInputs(options));
  const BestAssignment& best = inputs.best;
  RAILGAUGE_ASSIGN_OR_RETURN(
      const std::string settings,
      SettingsText(frameworks, inputs.machine, best.decision, !options.settings_out.empty()));
  RAILGAUGE_RETURN_IF_ERROR(
      WriteOutput(options.output, DecisionCsv(inputs.run, inputs.given, best)));
  RAILGAUGE_RETURN_IF_ERROR(WriteOutput(options.settings_out, settings));
  PrintNotes(inputs.notes);
  if (options.output == "-" || options.settings_out == "-") return kExitOk;
  fmt::print("run {} of {} ({})\nplacement: {}\n\n{}", Shortened(inputs.run.run_id),
             inputs.run.instance_type.empty() ? "unknown instance type"
                                              : Shortened(inputs.run.instance_type),
             Shortened(inputs.run.platform), Printable(inputs.given.source),
             FormatBestAssignment(inputs.machine, best));
  if (options.settings_out.empty() && !settings.empty()) fmt::print("\n{}", settings);
  return kExitOk;
}

}  // namespace

Command AddPlanCommand(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("plan", "find the best assignment of NICs by a recorded run");
  command->footer(kFooter);
  AddRunDirectory(*command, options->directory);
  command
      ->add_option("--placement", options->placement,
                   "a policy's name, or a decision's file (default: that of the run)")
      ->type_name("PLACEMENT");
  command
      ->add_option("--load", options->load,
                   "the directory of a run of load on this machine, for what NICs share")
      ->type_name("RUNDIR");
  AddTopologyOption(*command, options->hwloc_xml);
  command
      ->add_option("--output", options->output,
                   "the file to write; - is stdout, alone (default: none)")
      ->type_name("FILE");
  std::string names = "all";
  for (const Framework& framework : Frameworks()) names += ", " + std::string(framework.name);
  command
      ->add_option("--settings", options->settings,
                   "also print the settings that say it to frameworks: " + names)
      ->type_name("NAMES");
  command
      ->add_option("--settings_out", options->settings_out,
                   "write them to FILE instead; - is stdout, alone")
      ->type_name("FILE");
  return {command, [options](const CommandLine& /*line*/) { return Run(*options); }};
}

}  // namespace railgauge
