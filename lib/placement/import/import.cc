#include "lib/placement/import/import.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "fmt/core.h"
#include "lib/base/file.h"
#include "lib/base/nearest.h"
#include "lib/base/quoted.h"
#include "lib/placement/import/import_source.h"
#include "lib/placement/import/job_devices.h"
#include "lib/placement/import/mooncake_topology.h"
#include "lib/placement/import/nccl_graph.h"
#include "lib/placement/import/nccl_log.h"
#include "lib/placement/import/nccl_topology.h"
#include "lib/placement/import/ucx_devices.h"
#include "lib/placement/policy.h"

namespace railgauge {
namespace {

constexpr PlacementFormat kFormats[] = {
    {"csv", "CSV with the header consumer,nic"},
    {"nccl-topology", "NCCL topology XML (NCCL_TOPO_DUMP_FILE)"},
    {"nccl-graph", "NCCL graph XML with its topology (NCCL_GRAPH_DUMP_FILE): GRAPH,TOPOLOGY"},
    {"nccl-log", "NCCL log (NCCL_DEBUG=INFO)"},
    {"mooncake", "Mooncake topology JSON"},
    {"ucx", "lines that set UCX_NET_DEVICES"},
    {"slurm", "scontrol show job -d, or SLURM_JOB_GPUS"},
    {"kubernetes", "kubelet podresources or device checkpoint JSON"},
};

constexpr size_t kMaxBytes = size_t{256} << 20;  // logs of many ranks are large
constexpr std::string_view kUcxVariable = "UCX_NET_DEVICES=";

std::string FormatNames() {
  std::string names;
  for (const PlacementFormat& format : kFormats) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", format.name);
  }
  return names;
}

bool Has(std::string_view content, std::string_view text) {
  return content.find(text) != std::string_view::npos;
}

// Bytes that no text has, in the beginning of the file, where a person would see it too.
bool IsBinary(std::string_view content) {
  return content.substr(0, 4096).find('\0') != std::string_view::npos;
}

// The first line that is neither empty nor a comment.
std::string_view FirstLine(std::string_view content) {
  for (const TextLine& line : LinesOf(content.substr(0, 65536))) {
    const size_t begin = line.text.find_first_not_of(" \t");
    if (begin != std::string_view::npos && line.text[begin] != '#') return line.text.substr(begin);
  }
  return {};
}

// "nccl-log" of "nccl-log:run.txt"; nothing when what is before the colon is no format.
std::optional<std::string_view> ForcedFormat(std::string_view placement) {
  for (const PlacementFormat& format : kFormats) {
    const std::string_view name = format.name;
    if (placement.starts_with(name) && placement.substr(name.size()).starts_with(':')) return name;
  }
  return std::nullopt;
}

// The text of a file that a user named, with what to do where it cannot be read.
Result<std::string> ReadPlacementFile(const std::string& path) {
  if (path.empty()) {
    return Fail(MakeError("read placement", "", "no file is named behind the format",
                          "Write --placement=FORMAT:FILE"));
  }
  auto content = ReadFile(path, kMaxBytes);
  if (!content && content.error().error_number == ENOENT) {
    content.error().advice = "Name a file that exists, or a policy (railgauge policies lists them)";
  }
  return content;
}

// What is wrong with the word before a colon, where one stands like a format's name and is none.
std::optional<Error> WrongPrefix(const std::string& placement) {
  const size_t colon = placement.find(':');
  if (colon == std::string::npos || ::access(placement.c_str(), F_OK) == 0) return std::nullopt;
  const std::string word = placement.substr(0, colon);
  const auto is_of_name = [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; };
  if (!std::all_of(word.begin(), word.end(), is_of_name)) return std::nullopt;
  std::vector<std::string> names;
  for (const PlacementFormat& format : kFormats) names.emplace_back(format.name);
  const auto nearest = Nearest(word, names);
  return MakeError(
      "read placement", Quoted(placement), "there is no format '" + word + "'",
      (nearest ? "Write '" + *nearest + ":FILE'; formats are " : "Formats are ") + FormatNames());
}

Error UnknownFormat(const ImportSource& source, std::string reason) {
  return ImportError(
      source, 1, std::move(reason),
      "Known formats are " + FormatNames() + "; force one with --placement=FORMAT:FILE");
}

Result<Decision> Import(std::string_view format, const ImportSource& source) {
  if (source.content.find_first_not_of(" \t\r\n") == std::string_view::npos && format != "csv") {
    return Fail(UnknownFormat(source, "the file is empty"));
  }
  if (format == "nccl-topology") return ImportNcclTopology(source);
  if (format == "nccl-log") return ImportNcclLog(source);
  if (format == "mooncake") return ImportMooncakeTopology(source);
  if (format == "ucx") return ImportUcxDevices(source);
  if (format == "slurm") return ImportSlurmJob(source);
  if (format == "kubernetes") return ImportKubernetesDevices(source);
  return ParseDecision(source.content, source.file_name, source.machine, source.cuda_order);
}

Result<Decision> ImportGraph(const std::string& files, const Machine& machine,
                             const std::vector<PciAddress>& cuda_order) {
  const size_t comma = files.find(',');
  if (comma == std::string::npos) {
    return Fail(MakeError("read", files, "an NCCL graph names GPUs and NICs by NCCL's own numbers",
                          "Give the topology of the same run with it: --placement=nccl-graph:GRAPH,"
                          "TOPOLOGY (NCCL_TOPO_DUMP_FILE)"));
  }
  const std::string names[] = {files.substr(0, comma), files.substr(comma + 1)};
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string graph, ReadPlacementFile(names[0]));
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string topology, ReadPlacementFile(names[1]));
  return ImportNcclGraph({graph, names[0], machine, cuda_order},
                         {topology, names[1], machine, cuda_order});
}

Result<Decision> ImportFile(const std::string& path, const Machine& machine,
                            const std::vector<PciAddress>& cuda_order) {
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string content, ReadPlacementFile(path));
  const ImportSource source{content, path, machine, cuda_order};
  const std::string_view format = DetectFormat(content);
  if (format.empty()) {
    return Fail(UnknownFormat(source, IsBinary(content) ? "it holds bytes that no text has"
                                                        : "it is in no known format"));
  }
  if (format == "nccl-graph") return ImportGraph(path, machine, cuda_order);
  return Import(format, source);
}

}  // namespace

std::span<const PlacementFormat> PlacementFormats() { return kFormats; }

std::string_view DetectFormat(std::string_view content) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
  const std::string_view first = FirstLine(content);
  if (IsBinary(content)) return "";
  if (first.empty()) return "csv";  // which says that there is no header
  if (first.front() == '<') {
    if (Has(content, "<graphs")) return "nccl-graph";
    return Has(content, "<system") ? "nccl-topology" : "";
  }
  if (first.front() == '{') {
    const bool pods = Has(content, "\"podResources\"") || Has(content, "\"pod_resources\"") ||
                      Has(content, "\"PodDeviceEntries\"");
    return pods ? "kubernetes" : "mooncake";
  }
  if (Has(content, " NCCL INFO ")) return "nccl-log";
  if (Has(content, kUcxVariable)) return "ucx";
  if (Has(content, "GRES=") || Has(content, "SLURM_")) return "slurm";
  return Has(first, ",") ? "csv" : "";
}

std::vector<std::string> FilesOfPlacement(const std::string& placement) {
  if (IsPolicy(placement) || placement.starts_with(kUcxVariable)) return {};
  const auto format = ForcedFormat(placement);
  if (!format) return {placement};
  const std::string file = placement.substr(format->size() + 1);
  const size_t comma = file.find(',');
  if (*format != "nccl-graph" || comma == std::string::npos) return {file};
  return {file.substr(0, comma), file.substr(comma + 1)};
}

Result<Decision> DecidePlacement(const std::string& placement, const Machine& machine,
                                 const std::vector<PciAddress>& cuda_order) {
  if (IsPolicy(placement)) return DecideByPolicy(placement, machine);
  if (placement.starts_with(kUcxVariable)) {
    return ImportUcxDevices({placement, "--placement", machine, cuda_order});
  }
  if (const auto format = ForcedFormat(placement)) {
    const std::string file = placement.substr(format->size() + 1);
    if (*format == "nccl-graph") return ImportGraph(file, machine, cuda_order);
    RAILGAUGE_ASSIGN_OR_RETURN(const std::string content, ReadPlacementFile(file));
    return Import(*format, {content, file, machine, cuda_order});
  }
  if (const auto wrong = WrongPrefix(placement)) return Fail(*wrong);
  // What is neither is told with both in mind.
  const bool looks_like_file =
      placement.find_first_of("/.") != std::string::npos || ::access(placement.c_str(), F_OK) == 0;
  if (!looks_like_file) return DecideByPolicy(placement, machine);
  return ImportFile(placement, machine, cuda_order);
}

}  // namespace railgauge
