#include "cli/options.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace railgauge {

void AddMachineOptions(CLI::App& command, MachineOptions& options) {
  command.add_option("--nics", options.nics,
                     "NICs, comma-separated: PCI address or exact device name (default: all)");
  command.add_option("--places", options.places,
                     "places, comma-separated: numa0, gpu3, "
                     "gpu:0000:53:00.0 (default: all)");
  command.add_option("--hwloc-xml", options.hwloc_xml,
                     "read the topology from this hwloc XML file instead of the live machine");
  AddEmulateOption(command);
}

void AddEmulateOption(CLI::App& command) {
  // Taken out of the arguments before they are parsed; named here for --help.
  command.add_option("--emulate", "run on an emulated machine: p5.48xlarge[/16] or FILE.yaml")
      ->type_name("SPEC");
}

void AddColorOption(CLI::App& command, ColorOption& option) {
  command.add_option("--color", option.when, "auto, always or never (default: auto)")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

bool ColorOption::UseColor() const {
  if (when != "auto") return when == "always";
  return ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
}

Result<std::vector<Bytes>> ParseSizes(const std::string& text) {
  std::vector<Bytes> sizes;
  std::istringstream list(text);
  std::string item;
  while (std::getline(list, item, ',')) {
    RAILGAUGE_ASSIGN_OR_RETURN(const Bytes size, ParseBytes(item));
    if (size.count == 0 || std::find(sizes.begin(), sizes.end(), size) != sizes.end()) {
      return Fail(MakeError("read --sizes", text, "'" + item + "' is zero or there twice"));
    }
    sizes.push_back(size);
  }
  if (sizes.empty() || text.ends_with(',')) {
    return Fail(MakeError("read --sizes", text, "an empty size", "Write it like 64KiB,1MiB"));
  }
  return sizes;
}

}  // namespace railgauge
