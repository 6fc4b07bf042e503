// Flags that every command shares, spelled the same everywhere.
#ifndef RAILGAUGE_CLI_OPTIONS_H_
#define RAILGAUGE_CLI_OPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "lib/base/result.h"
#include "lib/base/units.h"

namespace railgauge {

struct MachineOptions {
  std::string hwloc_xml;  // read the topology from this file instead of the live machine
  std::string nics;       // comma list of PCI addresses or exact names; empty: all
  std::string places;     // comma list of numa0, gpu3, gpu:0000:53:00.0; empty: all
};

// --nics, --places, --hwloc-xml, and --emulate for --help (it is acted on before parsing).
void AddMachineOptions(CLI::App& command, MachineOptions& options);
// The last of them alone.
void AddEmulateOption(CLI::App& command);

// --color=auto|always|never; auto is a terminal without NO_COLOR.
struct ColorOption {
  std::string when = "auto";
  bool UseColor() const;
};
void AddColorOption(CLI::App& command, ColorOption& option);

// "4096,64KiB,1MiB" → sizes in the given order; empty, zero or duplicate is an error.
Result<std::vector<Bytes>> ParseSizes(const std::string& text);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_OPTIONS_H_
