// railgauge: which EFA NIC reaches which memory by which interconnect, how fast, and whether a
// placement is right. One file per command; this one dispatches.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/help_format.h"
#include "cli/interrupt.h"
#include "cli/messages.h"
#include "cli/software_versions.h"
#include "fmt/core.h"
#include "fmt/format.h"
#include "lib/base/nearest.h"
#include "lib/emulator/launcher/restart.h"

namespace railgauge {
namespace {

constexpr char kProgram[] = "railgauge";

constexpr char kDescription[] =
    "Benchmark and placement checks for AWS EFA: which NIC reaches which memory by which\n"
    "interconnect, how fast, and whether a placement of NICs is right.";

constexpr char kFooter[] =
    "Exit status: 0 all judged and OK; 1 a SLOW, WRONG, OVERSUBSCRIBED or IDLE verdict;\n"
    "2 usage or set-up error; 3 nothing bad found, but something could not be decided.\n"
    "Examples:\n"
    "  railgauge census --emulate=p5.48xlarge\n"
    "  railgauge check --placement=nearest\n"
    "  railgauge check --placement=decision.csv --output=run-1\n"
    "  railgauge load --groups=switch,numa";

// The command that was given, as one calls it: "railgauge check".
std::string NameOfCommand(std::span<const Command> commands) {
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    std::string name = kProgram + (" " + command.app->get_name());
    for (const CLI::App* part : command.app->get_subcommands()) name += " " + part->get_name();
    return name;
  }
  return kProgram;
}

// What is wrong with the word that stands where a command must; empty where none stands there.
std::string WrongCommand(std::span<const Command> commands, std::span<char* const> arguments) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.app->get_name());
  for (const std::string_view word : arguments.subspan(1)) {
    if (word.starts_with('-')) continue;
    if (std::find(names.begin(), names.end(), word) != names.end()) return "";
    const auto nearest = Nearest(word, names);
    return fmt::format("there is no command '{}'. {}", Printable(word),
                       nearest ? "Write '" + *nearest + "'"
                               : fmt::format("The commands are {}", fmt::join(names, ", ")));
  }
  return "";
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const std::string name = NameOfCommand(commands);
    std::string what = name == kProgram ? WrongCommand(commands, {argv, static_cast<size_t>(argc)})
                                        : std::string();
    if (what.empty()) what = Printable(error.what());
    while (what.ends_with('.') || what.ends_with('?')) what.pop_back();
    fmt::print(stderr, "{}: {}. Try: {} --help\n", name, what, name);
    return kExitError;
  }
  CatchInterrupts();
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    const auto status = command.run(line);
    if (status) return *status;
    PrintError(NameOfCommand(commands), status.error());
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
