#include "cli/options.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "cli/interrupt.h"
#include "lib/base/units.h"

namespace railgauge {

void AddMachineOptions(CLI::App& command, MachineOptions& options,
                       const std::string& places_default) {
  command
      .add_option("--nics", options.nics,
                  "NICs, comma-separated: PCI address or exact device name (default: all)")
      ->type_name("LIST");
  command
      .add_option("--places", options.places,
                  "places, comma-separated: numa0, gpu3, gpu:0000:53:00.0 (default: " +
                      places_default + ")")
      ->type_name("LIST");
  command
      .add_option("--hwloc-xml", options.hwloc_xml,
                  "read the topology from this hwloc XML file instead of the live machine")
      ->type_name("FILE");
  AddEmulateOption(command);
}

void AddEmulateOption(CLI::App& command) {
  // Taken out of the arguments before they are parsed; named here for --help.
  command
      .add_option(
          "--emulate",
          "run on an emulated machine: p5.48xlarge[/16] or FILE.yaml, and behind it ,FAULT…")
      ->type_name("SPEC");
}

void AddDeadlineOption(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--deadline",
          [](const std::string& text) {
            const auto time = ParseDuration(text);
            if (!time) throw CLI::ValidationError("--deadline", time.error().ToString());
            InterruptAfter(std::chrono::duration_cast<std::chrono::seconds>(*time));
          },
          "end by then as if interrupted, and at once 15 s later")
      ->type_name("DURATION");
}

void AddColorOption(CLI::App& command, ColorOption& option) {
  command.add_option("--color", option.when, "auto, always or never (default: auto)")
      ->option_text("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

bool ColorOption::UseColor() const {
  if (when != "auto") return when == "always";
  return ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
}

}  // namespace railgauge
