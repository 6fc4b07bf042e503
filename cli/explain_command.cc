// railgauge explain: everything that a run recorded about one NIC at one place, or about one of
// them.

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/command_files.h"
#include "cli/messages.h"
#include "cli/recorded_runs.h"
#include "cli/run_records.h"
#include "fmt/core.h"
#include "lib/base/quoted.h"
#include "lib/placement/explanation_text.h"
#include "lib/topology/names.h"
#include "lib/topology/spelling.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "Of a NIC and a place: how they lie to each other and the PCI path that shows it, the\n"
    "interconnect ids by every registration way and who shares them, every measured window's "
    "worth\n"
    "per operation, direction and size, what it was measured in turn with, and the verdicts and "
    "load\n"
    "groups that name it. Of one of them: a line for each of the others. Nothing is measured.\n"
    "A NIC is a PCI address or an exact device name; a place is numa0, gpu:0000:53:00.0, or gpu3\n"
    "as CUDA counted in the run.\n"
    "Exit status: 0 it is known; 2 usage or set-up error, or nothing of that name.\n"
    "Examples:\n"
    "  railgauge explain results/run-20261129T165320Z-19f3 gpu:0000:53:00.0 rdmap79s0\n"
    "  railgauge explain run-1 gpu3 rdmap79s0\n"
    "  railgauge explain run-1 numa0 0000:4f:00.0\n"
    "  railgauge explain run-1 rdmap79s0\n"
    "  railgauge explain run-1 gpu:0000:53:00.0";

struct Options {
  RunDirectoryOptions run;
  std::vector<std::string> names;
};

// What the names mean.
struct Subject {
  std::optional<NicKey> nic;
  std::optional<MemoryPlace> place;
};

// A place as ResolvePlace knows it, or one that the run names without it: an accelerator, and a GPU
// without its kind.
std::optional<MemoryPlace> FindPlace(const RunRecords& records, const std::string& text) {
  if (const auto place = ResolvePlace(records.machine, text, records.cuda_order)) return *place;
  const std::vector<MemoryPlace> known = KnownPlaces(records);
  const auto address = PciAddress::ParseLenient(text);
  const auto found = std::find_if(known.begin(), known.end(), [&](const MemoryPlace& place) {
    return place == MemoryPlace::Parse(text) ||
           (address && !place.is_host() && place.gpu == *address);
  });
  return found == known.end() ? std::nullopt : std::optional(*found);
}

bool IsOrdinal(const std::string& text) {
  return text.starts_with("gpu") && text.size() > 3 &&
         text.find_first_not_of("0123456789", 3) == std::string::npos;
}

std::string GpusOf(const RunRecords& records) {
  std::vector<std::string> names;
  for (const MemoryPlace& place : KnownPlaces(records)) {
    if (place.is_gpu()) names.push_back(place.ToString());
  }
  return names.empty() ? "the run shows none" : JoinSome(names, 10);
}

// The nearest spelling among NICs and places alike.
Error UnknownName(const RunRecords& records, const std::string& text) {
  if (IsOrdinal(text) && records.cuda_order.empty()) {
    return MakeError("explain", Quoted(text),
                     "run.json does not say in which order CUDA had the GPUs of the run (CUDA "
                     "showed it none, or the file is not there), so an ordinal stands for nothing",
                     "Name the GPU by its PCI address: " + GpusOf(records));
  }
  // "gpu9" and "numa9" are spelled well, and the reason is another.
  if (const auto place = ResolvePlace(records.machine, text, records.cuda_order);
      !place && (text.starts_with("gpu") || text.starts_with("numa"))) {
    return place.error();
  }
  std::vector<std::string> names;
  for (const MemoryPlace& place : KnownPlaces(records)) names.push_back(place.ToString());
  for (const Nic& nic : records.machine.nics) {
    if (!nic.name.empty()) names.push_back(nic.name);
  }
  for (const Nic& nic : records.machine.nics) names.push_back(nic.position.address.ToString());
  const std::vector<std::string> nearest = NearestSpellings(text.substr(0, 100), names);
  return MakeError(
      "explain", Quoted(text), "the machine of this run has no NIC and no place of that name",
      nearest.empty() ? "It has " + JoinSome(names, 10)
                      : fmt::format("The nearest spelling{} {}",
                                    nearest.size() == 1 ? " is" : "s are", JoinWithAnd(nearest)));
}

Result<Subject> SubjectOf(const RunRecords& records, const std::vector<std::string>& names) {
  Subject subject;
  for (const std::string& text : names) {
    const auto place = FindPlace(records, text);
    const auto nic = ResolveNic(records.machine, text);
    if (!place && !nic) return Fail(UnknownName(records, text));
    if (place ? subject.place.has_value() : subject.nic.has_value()) {
      return Fail(MakeError("explain", Quoted(text),
                            fmt::format("these are two {}", place ? "places" : "NICs"),
                            "Name a NIC and a place, or one of them"));
    }
    if (place) {
      subject.place = place;
    } else {
      subject.nic = *nic;
    }
  }
  return subject;
}

Result<ExitStatus> Run(const Options& options) {
  CommandFiles files;
  files.ReadsRuns("RUNDIR", options.run.directory);
  files.ReadsTopologies(options.run.hwloc_xml);
  RAILGAUGE_RETURN_IF_ERROR(files.Check());
  RAILGAUGE_ASSIGN_OR_RETURN(const RunFiles run, ReadRunFiles(options.run));
  const RunRecords& records = run.records;
  RAILGAUGE_ASSIGN_OR_RETURN(const Subject subject, SubjectOf(records, options.names));
  std::string text;
  if (!subject.nic) {
    text = FormatPlace(records, *subject.place, ExplainPlace(records, *subject.place));
  } else {
    const Nic& nic = *records.machine.FindNic(subject.nic->address);
    text = subject.place ? FormatPair(records, ExplainPair(records, nic, *subject.place))
                         : FormatNic(records, nic, ExplainNic(records, *subject.nic));
  }
  fmt::print("{}", text);
  PrintNotes(run.notes);
  return kExitOk;
}

}  // namespace

Command AddExplainCommand(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("explain", "say all that a run recorded about a NIC at a place");
  command->footer(kFooter);
  AddRunDirectory(*command, options->run.directory);
  command->add_option("NAME", options->names, "a NIC and a place, in any order, or one of them")
      ->type_name("")
      ->required()
      ->expected(1, 2);
  AddTopologyOption(*command, options->run.hwloc_xml);
  return {command, [options](const CommandLine& /*line*/) { return Run(*options); }};
}

}  // namespace railgauge
