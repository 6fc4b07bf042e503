// Flags that every command shares, spelled the same everywhere.
#ifndef RAILGAUGE_CLI_OPTIONS_H_
#define RAILGAUGE_CLI_OPTIONS_H_

#include <string>

#include "CLI/CLI.hpp"
#include "cli/machine_options.h"

namespace railgauge {

// --nics, --places, --hwloc-xml, and --emulate for --help (it is acted on before parsing).
// `places_default` is what happens without --places.
void AddMachineOptions(CLI::App& command, MachineOptions& options,
                       const std::string& places_default = "all");
// The last of them alone.
void AddEmulateOption(CLI::App& command);

// --deadline=DURATION, which counts from the parsing on: for commands that others start and may
// lose sight of.
void AddDeadlineOption(CLI::App& command);

// --color=auto|always|never; auto is a terminal without NO_COLOR.
struct ColorOption {
  std::string when = "auto";
  bool UseColor() const;
};
void AddColorOption(CLI::App& command, ColorOption& option);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_OPTIONS_H_
