// The flags of every command that measures, spelled and described once.
#ifndef RAILGAUGE_CLI_MEASURING_OPTIONS_H_
#define RAILGAUGE_CLI_MEASURING_OPTIONS_H_

#include <string>

#include "CLI/CLI.hpp"
#include "cli/command_files.h"
#include "cli/machine_options.h"
#include "cli/options.h"
#include "cli/peer_flags.h"

namespace railgauge {

struct MeasuringOptions {
  MachineOptions machine;
  ColorOption color;
  std::string output;
  std::string time_budget;
  std::string sizes = "1MiB";
  bool dry_run = false;
  bool allow_busy = false;
  PeerFlags peer;
};

// Defaults are what `options` holds; `places_default` says what the command does without --places.
void AddMeasuringOptions(CLI::App& command, MeasuringOptions& options,
                         const std::string& places_default = "all");

// Before any work: the files that these flags name, and the run directory, which a dry run does not
// make.
void DeclareMeasuringFiles(const MeasuringOptions& options, CommandFiles& files);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_MEASURING_OPTIONS_H_
