// railgauge: which EFA NIC reaches which memory by which interconnect, how fast, and whether a
// placement is right. One file per command; this one dispatches.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <span>
#include <string>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help_format.h"
#include "cli/interrupt.h"
#include "cli/messages.h"
#include "cli/software_versions.h"
#include "fmt/core.h"
#include "lib/emulator/launcher/restart.h"

namespace railgauge {
namespace {

constexpr char kProgram[] = "railgauge";

constexpr char kDescription[] =
    "Benchmark and placement checks for AWS EFA: which NIC reaches which memory by which\n"
    "interconnect, how fast, and whether a placement of NICs is right.";

constexpr char kFooter[] =
    "Exit status: 0 all is well, or done; 1 a bad verdict (check, judge, compare, fleet report);\n"
    "2 usage or set-up error; 3 nothing bad, and something could not be decided or measured.\n"
    "COMMAND --help says it of each.\n"
    "A FILE that is written may be - for standard output where --help says so; elsewhere it may "
    "not.\n"
    "Examples:\n"
    "  railgauge census --emulate=p5.48xlarge\n"
    "  railgauge check --placement=nearest\n"
    "  railgauge check --placement=decision.csv --output=run-1\n"
    "  railgauge load --groups=switch,numa";

// What is wrong with the command line, and where its flags are told.
int UsageError(const std::string& name, std::string what) {
  while (what.ends_with('.') || what.ends_with('?')) what.pop_back();
  fmt::print(stderr, "{}: {}. Try: {} --help\n", name, what, name);
  return kExitError;
}

int Main(int argc, char** argv, const CommandLine& line) {
  CLI::App app(kDescription, kProgram);
  app.footer(kFooter);
  app.formatter(std::make_shared<HelpFormat>());
  app.set_help_flag("-h,--help", "print this help and end");
  app.set_version_flag("--version", fmt::format("railgauge {}", kVersion),
                       "print the version and end");
  app.require_subcommand(1);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  const Command commands[] = {AddBaselineCommand(app), AddCensusCommand(app),  AddCheckCommand(app),
                              AddCompareCommand(app),  AddExplainCommand(app), AddFleetCommand(app),
                              AddJudgeCommand(app),    AddLoadCommand(app),    AddPlanCommand(app),
                              AddPoliciesCommand(app), AddReportCommand(app),  AddServeCommand(app),
                              AddTokenCommand(app),    AddTopologyCommand(app)};
  const std::span<char* const> arguments(argv + 1, static_cast<size_t>(std::max(argc, 1)) - 1);
  const std::string name = NameOfCommand(app, arguments);
  if (const Status status = CheckArguments(app, arguments); !status) {
    return UsageError(name, status.error().ToString());
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return UsageError(name, WhatParserSays(app, error));
  }
  CatchInterrupts();
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    const auto status = command.run(line);
    if (status) return *status;
    PrintError(name, status.error());
    return kExitError;
  }
  return kExitError;
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  const auto line = railgauge::RestartOnEmulatedMachine(&argc, argv);
  try {
    const int status = railgauge::Main(argc, argv, line);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    std::fprintf(stderr, "railgauge: the output could not be written: stdout is closed or full\n");
    return railgauge::kExitError;
  } catch (const std::exception& error) {
    // Out of memory, or a library's exception that a package let through: still one line.
    std::fprintf(stderr, "railgauge: %s\n", error.what());
    return railgauge::kExitError;
  }
}
