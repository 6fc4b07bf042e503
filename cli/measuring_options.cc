#include "cli/measuring_options.h"

#include "cli/peering.h"

namespace railgauge {

void AddMeasuringOptions(CLI::App& command, MeasuringOptions& options,
                         const std::string& places_default) {
  AddMachineOptions(command, options.machine, places_default);
  command.add_option("--sizes", options.sizes, "message sizes, comma-separated")
      ->type_name("SIZES")
      ->capture_default_str();
  command.add_option("--time-budget", options.time_budget, "time to measure in: 45s, 5min")
      ->type_name("DURATION")
      ->capture_default_str();
  command
      .add_option("--output", options.output,
                  "the run directory, new or empty (default: a new one in results/)")
      ->type_name("DIR");
  AddPeerOptions(command, options.peer);
  command.add_flag("--dry-run", options.dry_run, "print the plan and its time, measure nothing");
  command.add_flag("--allow-busy", options.allow_busy,
                   "measure also with NICs that others use: their counters move already");
  AddDeadlineOption(command);
  AddColorOption(command, options.color);
}

void DeclareMeasuringFiles(const MeasuringOptions& options, CommandFiles& files) {
  files.Reads("--hwloc-xml", options.machine.hwloc_xml);
  files.Reads("--token", options.peer.token);
  if (!options.dry_run) {
    files.Makes("--output", options.output.empty() ? "results/run" : options.output);
  }
}

}  // namespace railgauge
