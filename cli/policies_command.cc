// railgauge policies: what each policy would choose on this machine, or on that of a recorded run,
// and what it would cost there. Opens no device and measures nothing, so it also runs on the
// topology of another machine.

#include <algorithm>
#include <utility>

#include "cli/command.h"
#include "cli/command_files.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/recorded_runs.h"
#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/file.h"
#include "lib/base/quoted.h"
#include "lib/placement/policy.h"
#include "lib/placement/policy_cost.h"
#include "lib/placement/policy_text.h"
#include "lib/report/text_matrix.h"
#include "lib/topology/load.h"
#include "lib/verbs/platform.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "Opens no device and measures nothing. check --placement=POLICY measures what a choice costs.\n"
    "In the table: the farthest relation of a consumer's NICs, and their PCI addresses.\n"
    "With RUNDIR (as for judge; many runs are told one after the other), by what that run "
    "measured:\n"
    "the verdicts on each policy's choice, the consumer that gets least, what it gets in its "
    "worst\n"
    "operation and direction (the sum of its NICs, each shared evenly by its users; not what they\n"
    "share upstream), and the loss against the best policy. A policy with pairs that the run left\n"
    "out is not measured.\n"
    "Exit status: 0 shown; 2 usage or set-up error; 3 with RUNDIR, no policy's choice was "
    "measured.\n"
    "Examples:\n"
    "  railgauge policies\n"
    "  railgauge policies results/run-20261129T165320Z-19f3\n"
    "  railgauge policies --rules\n"
    "  railgauge policies --emulate=p4d.24xlarge\n"
    "  railgauge policies --hwloc-xml=other-host.xml --csv_out=-";

struct Options {
  std::string directory;
  std::vector<std::string> hwloc_xml;
  std::string csv_out;
  bool rules = false;
};

// Rules are of no machine and no run, so nothing else on the line would have an effect.
Status CheckRulesAlone(const Options& options) {
  const std::pair<const char*, bool> others[] = {{"RUNDIR", !options.directory.empty()},
                                                 {"--hwloc-xml", !options.hwloc_xml.empty()},
                                                 {"--csv_out", !options.csv_out.empty()}};
  for (const auto& [name, given] : others) {
    if (!given) continue;
    return Fail(
        MakeError("read the command line", "--rules",
                  fmt::format("it prints what policies are, and {} has no part in that", name),
                  "Leave one of them out"));
  }
  return {};
}

void PrintRules() {
  for (const Policy& policy : Policies()) {
    fmt::print("{}\n",
               WrapText(fmt::format("{}: {}. From: {}.", policy.name, policy.rule, policy.source),
                        100, 2));
  }
}

// "emulated", "hardware" or "unknown", by what sysfs tells of the firmware: no device is opened. An
// XML file tells nothing of it.
std::string PlatformOf(const Machine& machine, const Options& options) {
  std::vector<std::string> firmwares;
  for (const Nic& nic : machine.nics) {
    if (!options.hwloc_xml.empty() || nic.name.empty()) continue;
    firmwares.push_back(
        ReadAttribute("/sys/class/infiniband/" + nic.name + "/fw_ver").value_or(""));
  }
  return PlatformOfAll(firmwares);
}

std::string ChoicesCsv(const std::vector<PolicyChoice>& choices, const std::string& platform) {
  std::string csv = "policy,consumer,nic,platform\n";
  for (const PolicyChoice& choice : choices) {
    if (!choice.decision) continue;
    for (const Assignment& assignment : choice.decision->assignments) {
      for (const NicKey& nic : assignment.nics) {
        csv += fmt::format("{},{},{},{}\n", choice.policy, assignment.consumer.ToString(),
                           nic.address.ToString(), platform);
      }
    }
  }
  return csv;
}

// What each policy would cost on the machine of a run; true when some of it was measured.
bool TellCosts(const Options& options, const LoadedRun& loaded, std::string& csv) {
  const std::vector<PolicyCost> costs =
      CostsOfPolicies(*loaded.machine, loaded.census, loaded.samples);
  csv += PolicyCostsCsv(loaded.run, costs);
  if (options.csv_out != "-") {
    const RunIdentity& run = loaded.run;
    fmt::print("run {} of {}, {} ({})\n\n{}\n", Shortened(run.run_id), Shortened(run.host),
               run.instance_type.empty() ? "unknown instance type" : Shortened(run.instance_type),
               Shortened(run.platform), FormatPolicyCosts(costs));
  }
  return std::any_of(costs.begin(), costs.end(),
                     [](const PolicyCost& cost) { return cost.worst.has_value(); });
}

Result<ExitStatus> RunOfRecorded(const Options& options) {
  RAILGAUGE_ASSIGN_OR_RETURN(GivenTopologies topologies, GivenTopologies::Parse(options.hwloc_xml));
  std::string csv = PolicyCostsHeader();
  bool measured = false;
  size_t errors = 0;
  std::vector<std::string> notes;
  RunsSeen seen;
  RAILGAUGE_RETURN_IF_ERROR(ForEachRun(
      options.directory, topologies, seen,
      [&](Result<LoadedRun> loaded, bool /*many*/) {
        if (loaded) {
          measured = TellCosts(options, *loaded, csv) || measured;
          notes.insert(notes.end(), loaded->notes.begin(), loaded->notes.end());
          return;
        }
        ++errors;
        PrintError("railgauge policies", loaded.error());
      },
      notes));
  RAILGAUGE_RETURN_IF_ERROR(WriteOutput(options.csv_out, csv));
  PrintNotes(notes);
  PrintNotes(topologies.NotesOnUnused());
  return errors > 0 ? kExitError : measured ? kExitOk : kExitUndecided;
}

Result<ExitStatus> Run(const Options& options) {
  if (options.rules) {
    RAILGAUGE_RETURN_IF_ERROR(CheckRulesAlone(options));
    PrintRules();
    return kExitOk;
  }
  CommandFiles files;
  files.ReadsRuns("RUNDIR", options.directory);
  files.ReadsTopologies(options.hwloc_xml);
  files.Writes("--csv_out", options.csv_out);
  RAILGAUGE_RETURN_IF_ERROR(files.Check());
  if (!options.directory.empty()) return RunOfRecorded(options);
  RAILGAUGE_ASSIGN_OR_RETURN(
      const Machine machine,
      options.hwloc_xml.empty() ? LoadLiveMachine() : LoadMachineFromXml(options.hwloc_xml.back()));
  RAILGAUGE_RETURN_IF_ERROR(machine.CheckHasNics());
  const std::vector<PolicyChoice> choices = ChoicesOf(machine);
  const std::string platform = PlatformOf(machine, options);
  RAILGAUGE_RETURN_IF_ERROR(WriteOutput(options.csv_out, ChoicesCsv(choices, platform)));
  if (options.csv_out == "-") return kExitOk;
  const std::string type =
      machine.instance_type.empty() ? "unknown instance type" : Shortened(machine.instance_type);
  fmt::print("{} ({}): {}, {}\n\n{}", type, platform, Counted(machine.nics.size(), "EFA NIC"),
             Counted(machine.gpus.size(), "GPU"), FormatChoices(machine, choices));
  return kExitOk;
}

}  // namespace

Command AddPoliciesCommand(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("policies", "show which NICs each policy would choose on this machine");
  command->footer(kFooter);
  command
      ->add_option("RUNDIR", options->directory,
                   "a recorded run: tell what each policy would cost on its machine")
      ->type_name("");
  AddTopologyOption(*command, options->hwloc_xml);
  AddEmulateOption(*command);
  command->add_flag("--rules", options->rules,
                    "print each policy's rule and source, and end; with no other flag");
  command
      ->add_option(
          "--csv_out", options->csv_out,
          "also write policy,consumer,nic,platform rows, with RUNDIR a row per policy with "
          "its cost, to FILE; - is stdout, alone")
      ->type_name("FILE");
  return {command, [options](const CommandLine& /*line*/) { return Run(*options); }};
}

}  // namespace railgauge
