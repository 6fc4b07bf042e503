// Command: one subcommand of railgauge: its flags, and what it does.
#ifndef RAILGAUGE_CLI_COMMAND_H_
#define RAILGAUGE_CLI_COMMAND_H_

#include <functional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "cli/exit_status.h"
#include "lib/base/result.h"

namespace railgauge {

// What main gives to a command: the arguments as the user wrote them, for run.json.
using CommandLine = std::vector<std::string>;

// Adds the subcommand with its flags to `app` and returns what runs it once they are parsed. An
// Error ends the process with one line on stderr and status 2.
using CommandRun = std::function<Result<ExitStatus>(const CommandLine&)>;

struct Command {
  CLI::App* app = nullptr;
  CommandRun run;
};

Command AddBaselineCommand(CLI::App& app);
Command AddCensusCommand(CLI::App& app);
Command AddCheckCommand(CLI::App& app);
Command AddCompareCommand(CLI::App& app);
Command AddExplainCommand(CLI::App& app);
Command AddFleetCommand(CLI::App& app);
Command AddJudgeCommand(CLI::App& app);
Command AddPoliciesCommand(CLI::App& app);
Command AddLoadCommand(CLI::App& app);
Command AddReportCommand(CLI::App& app);
Command AddPlanCommand(CLI::App& app);
Command AddServeCommand(CLI::App& app);
Command AddTokenCommand(CLI::App& app);
Command AddTopologyCommand(CLI::App& app);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_COMMAND_H_
