// railgauge fleet: its three subcommands, one file each.
#ifndef RAILGAUGE_CLI_FLEET_COMMAND_H_
#define RAILGAUGE_CLI_FLEET_COMMAND_H_

#include <string>

#include "CLI/CLI.hpp"
#include "cli/command.h"
#include "lib/base/units.h"
#include "lib/fleet/fleet_plan.h"

namespace railgauge {

Command AddFleetPlanCommand(CLI::App& fleet);
Command AddFleetRunCommand(CLI::App& fleet);
Command AddFleetReportCommand(CLI::App& fleet);

// The --time-budget among the plan's check_flags.
Result<Nanoseconds> BudgetOf(const FleetPlan& plan);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_FLEET_COMMAND_H_
