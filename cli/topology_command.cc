// railgauge topology: the topology of a run's machine as hwloc XML, with what the run found out on
// its objects, for lstopo to draw.

#include <string>

#include "cli/command.h"
#include "cli/command_files.h"
#include "cli/messages.h"
#include "cli/recorded_runs.h"
#include "cli/run_records.h"
#include "fmt/core.h"
#include "lib/placement/topology_notes.h"
#include "lib/topology/annotate.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "NICs, GPUs and NUMA nodes get info attributes (RailgaugeRun…: relations, interconnect ids,\n"
    "throughputs, verdicts), which lstopo shows with -v, and NICs and GPUs a subtype, which "
    "lstopo\n"
    "draws: of a NIC its throughput at the fastest and at the slowest place. All else is as it "
    "was.\n"
    "Exit status: 0 written; 2 usage or set-up error.\n"
    "Examples:\n"
    "  railgauge topology run-1 --output=run-1.xml && lstopo -i run-1.xml run-1.svg\n"
    "  railgauge topology run-1 | lstopo -i - --if xml\n"
    "  railgauge topology run-1 --hwloc-xml=with-caches.xml --output=run-1.xml";

struct Options {
  RunDirectoryOptions run;
  std::string output = "-";
};

Result<ExitStatus> Run(const Options& options) {
  CommandFiles files;
  files.ReadsRuns("RUNDIR", options.run.directory);
  files.ReadsTopologies(options.run.hwloc_xml);
  files.Writes("--output", options.output);
  RAILGAUGE_RETURN_IF_ERROR(files.Check());
  RAILGAUGE_ASSIGN_OR_RETURN(const RunFiles run, ReadRunFiles(options.run));
  RAILGAUGE_ASSIGN_OR_RETURN(
      const std::string xml,
      AnnotateTopologyXml(run.topology_file, kNotePrefix, TopologyNotes(run.records)));
  RAILGAUGE_RETURN_IF_ERROR(WriteOutput(options.output, xml));
  if (options.output != "-") {
    const std::string name = Printable(options.output);
    fmt::print("{}: lstopo -i {} draws it, and with -v lists the notes\n", name, name);
  }
  PrintNotes(run.notes);
  return kExitOk;
}

}  // namespace

Command AddTopologyCommand(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "topology", "export a run's topology as hwloc XML with what the run found out");
  command->footer(kFooter);
  AddRunDirectory(*command, options->run.directory);
  command->add_option("--output", options->output, "the file to write; - is stdout (default: -)")
      ->type_name("FILE");
  AddTopologyOption(*command, options->run.hwloc_xml);
  return {command, [options](const CommandLine& /*line*/) { return Run(*options); }};
}

}  // namespace railgauge
