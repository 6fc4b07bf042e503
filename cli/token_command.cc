// railgauge token: makes the secret that two hosts share.

#include "cli/command.h"
#include "cli/command_files.h"
#include "fmt/core.h"
#include "lib/peer/token.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "Writes 256 random bits to FILE, which only its owner can read. Copy it to the other host\n"
    "over a way that you trust: whoever has it can measure with a host that serves with it.\n"
    "Exit status: 0 the file is made; 2 it is not.\n"
    "Examples:\n"
    "  railgauge token rail.token\n"
    "  scp -p rail.token node-b:";

}  // namespace

Command AddTokenCommand(CLI::App& app) {
  auto path = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("token", "make the token file that two hosts share");
  command->footer(kFooter);
  command->add_option("FILE", *path, "the file to make")->type_name("")->required();
  return {command, [path](const CommandLine&) -> Result<ExitStatus> {
            CommandFiles files;
            files.WritesBeside("FILE", *path);
            RAILGAUGE_RETURN_IF_ERROR(files.Check());
            RAILGAUGE_RETURN_IF_ERROR(MakeTokenFile(*path));
            fmt::print("{}: copy it to the other host, and keep it to yourself\n",
                       Printable(*path));
            return kExitOk;
          }};
}

}  // namespace railgauge
