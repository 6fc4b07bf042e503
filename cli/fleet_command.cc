// railgauge fleet: many machines measured with each other, and what stands out of them.

#include "cli/fleet_command.h"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/quantities.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "plan writes who is measured with whom, run measures (again: what is missing), report says\n"
    "what is slow and whose fault it is. DIR must be on a file system that all nodes share.\n"
    "Exit status: that of plan, run or report; 2 usage or set-up error.\n"
    "Examples:\n"
    "  railgauge fleet plan --hosts=node-a,node-b,node-c,node-d --output=night-1\n"
    "  railgauge fleet run night-1\n"
    "  railgauge fleet report night-1\n"
    "  sbatch --nodes=64 scripts/fleet/railgauge.sbatch          # all three, in a Slurm job";

constexpr std::string_view kBudgetFlag = "--time-budget=";

}  // namespace

Result<Nanoseconds> BudgetOf(const FleetPlan& plan) {
  for (const std::string& flag : plan.check_flags) {
    if (flag.starts_with(kBudgetFlag)) return ParseTimeBudget(flag.substr(kBudgetFlag.size()));
  }
  return Fail(MakeError("read the plan", "check_flags", "there is no --time-budget among them",
                        "Make a new plan with: railgauge fleet plan"));
}

Command AddFleetCommand(CLI::App& app) {
  CLI::App* fleet = app.add_subcommand("fleet", "measure many machines, and find the slow ones");
  fleet->footer(kFooter);
  fleet->require_subcommand(1);
  auto commands = std::make_shared<std::vector<Command>>();
  commands->push_back(AddFleetPlanCommand(*fleet));
  commands->push_back(AddFleetRunCommand(*fleet));
  commands->push_back(AddFleetReportCommand(*fleet));
  return {fleet, [commands](const CommandLine& line) -> Result<ExitStatus> {
            for (const Command& command : *commands) {
              if (command.app->parsed()) return command.run(line);
            }
            return kExitError;
          }};
}

}  // namespace railgauge
