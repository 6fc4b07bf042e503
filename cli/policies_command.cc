// railgauge policies: what each policy would choose on this machine. Opens no device and measures
// nothing, so it also runs on the topology of another machine.

#include <cstdio>

#include "cli/command.h"
#include "cli/options.h"
#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/file.h"
#include "lib/placement/policy.h"
#include "lib/placement/policy_text.h"
#include "lib/report/text_matrix.h"
#include "lib/topology/load.h"
#include "lib/verbs/platform.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "Opens no device and measures nothing. check --placement=POLICY measures what a choice costs.\n"
    "In the table: the farthest relation of a consumer's NICs, and their PCI addresses.\n"
    "Examples:\n"
    "  railgauge policies\n"
    "  railgauge policies --rules\n"
    "  railgauge policies --emulate=p4d.24xlarge\n"
    "  railgauge policies --hwloc-xml=other-host.xml --csv_out=-";

struct Options {
  std::string hwloc_xml;
  std::string csv_out;
  bool rules = false;
};

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

Result<ExitStatus> Run(const Options& options) {
  if (options.rules) {
    PrintRules();
    return kExitOk;
  }
  RAILGAUGE_ASSIGN_OR_RETURN(const Machine machine, options.hwloc_xml.empty()
                                                        ? LoadLiveMachine()
                                                        : LoadMachineFromXml(options.hwloc_xml));
  RAILGAUGE_RETURN_IF_ERROR(machine.CheckHasNics());
  const std::vector<PolicyChoice> choices = ChoicesOf(machine);
  const std::string platform = PlatformOf(machine, options);
  const std::string csv = ChoicesCsv(choices, platform);
  if (options.csv_out == "-") {
    std::fwrite(csv.data(), 1, csv.size(), stdout);
    return kExitOk;
  }
  if (!options.csv_out.empty()) {
    RAILGAUGE_RETURN_IF_ERROR(WriteFileAtomically(options.csv_out, csv));
  }
  const std::string type =
      machine.instance_type.empty() ? "unknown instance type" : Printable(machine.instance_type);
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
  command->add_option("--hwloc-xml", options->hwloc_xml,
                      "read the topology from this hwloc XML file instead of the live machine");
  AddEmulateOption(*command);
  command->add_flag("--rules", options->rules, "print each policy's rule and source, and end");
  command
      ->add_option("--csv_out", options->csv_out,
                   "also write policy,consumer,nic,platform rows to FILE; - is stdout")
      ->type_name("FILE");
  return {command, [options](const CommandLine& /*line*/) { return Run(*options); }};
}

}  // namespace railgauge
