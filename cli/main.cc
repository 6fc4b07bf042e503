// railgauge: which EFA NIC reaches which memory by which interconnect, how fast, and whether a
// placement is right. One file per command; this one dispatches.

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <span>
#include <string>

#include "cli/command.h"
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
    "Exit status: 0 all judged and OK; 1 a SLOW, WRONG, OVERSUBSCRIBED or IDLE verdict;\n"
    "2 usage or set-up error; 3 nothing bad found, but something could not be decided.\n"
    "Examples:\n"
    "  railgauge census --emulate=p5.48xlarge\n"
    "  railgauge check --placement=nearest\n"
    "  railgauge check --placement=decision.csv --output=run-1";

// The command that was given, as one calls it: "railgauge check".
std::string NameOfCommand(std::span<const Command> commands) {
  for (const Command& command : commands) {
    if (command.app->parsed()) return kProgram + (" " + command.app->get_name());
  }
  return kProgram;
}

int Main(int argc, char** argv, const CommandLine& line) {
  CLI::App app(kDescription, kProgram);
  app.footer(kFooter);
  app.set_version_flag("--version", fmt::format("railgauge {}", kVersion));
  app.require_subcommand(1);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  const Command commands[] = {AddCensusCommand(app), AddCheckCommand(app), AddServeCommand(app),
                              AddTokenCommand(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const std::string name = NameOfCommand(commands);
    std::string what = Printable(error.what());
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
