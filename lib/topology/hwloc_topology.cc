#include "lib/topology/hwloc_topology.h"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "lib/base/file.h"
#include "lib/base/file_error.h"
#include "lib/topology/trial.h"
#include "lib/topology/xml_text.h"

namespace railgauge {
namespace {

// The largest machines' files have about 1 MiB.
constexpr size_t kMaxXmlBytes = size_t{16} << 20;
// hwloc needs a few milliseconds for a file.
constexpr std::chrono::seconds kXmlDeadline{20};

constexpr std::string_view kExportAgain = "Export it again with lstopo --of xml --filter io:all";

// A topology that is configured but not loaded.
Result<Topology> InitTopology(XmlDetail detail) {
  // hwloc prints remarks on odd machines to stderr, where one line of ours is all that belongs.
  // It reads the variable once; the user's own setting is kept.
  static const bool hidden [[maybe_unused]] = ::setenv("HWLOC_HIDE_ERRORS", "2", 0) == 0;
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) {
    return Fail(ErrnoError(errno, "initialize hwloc"));
  }
  Topology topology(raw);
  if (detail == XmlDetail::kEverything) {
    hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  } else {
    hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
    // Nothing here reads caches, and on a big machine most sysfs files are about them.
    hwloc_topology_set_cache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  }
  // Plugins that would start GPU run times, only to name devices that PCI shows already; and the
  // x86 one, which runs on every CPU in turn to ask for caches and models.
  for (const char* component : {"cuda", "nvml", "opencl", "rsmi", "levelzero", "gl", "x86"}) {
    hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
  }
  return topology;
}

// ReadFile for a regular file of a sane size; a FIFO or a device would block or never end.
Result<std::string> ReadXmlFile(const std::string& path) {
  const std::string operation = "read topology XML";
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0)
    return Fail(FileError(FileUse::kRead, errno, operation, path));
  if (!S_ISREG(status.st_mode)) {
    return Fail(MakeError(operation, path, "it is not a regular file",
                          "Write it to a file: lstopo --of xml --filter io:all FILE.xml"));
  }
  Result<std::string> text = ReadFile(path, kMaxXmlBytes);
  if (!text) text.error().operation = operation;
  return text;
}

// The library tells only the version of its interface, which may be older than itself.
std::string LibraryVersion() {
  const unsigned version = hwloc_get_api_version();
  return fmt::format("(interface {}.{})", version >> 16, (version >> 8) & 0xff);
}

// May crash on a bad text, as hwloc does.
Result<Topology> TopologyOfText(const std::string& xml, const std::string& path, XmlDetail detail) {
  RAILGAUGE_ASSIGN_OR_RETURN(Topology topology, InitTopology(detail));
  // The size counts the NUL at the end.
  const int size = static_cast<int>(xml.size()) + 1;
  if (hwloc_topology_set_xmlbuffer(topology.get(), xml.c_str(), size) != 0 ||
      hwloc_topology_load(topology.get()) != 0) {
    if (HWLOC_API_VERSION < 0x00030000 && xml.starts_with("<topology version=\"3")) {
      return Fail(MakeError(
          "parse topology XML", path,
          fmt::format("it is of hwloc 3, which hwloc {} here does not read", LibraryVersion()),
          "Export it again with lstopo --of xml --filter io:all "
          "--export-xml-flags v2"));
    }
    return Fail(MakeError(
        "parse topology XML", path,
        fmt::format("hwloc {} does not accept it as a topology of its version", LibraryVersion()),
        std::string(kExportAgain)));
  }
  return topology;
}

}  // namespace

Result<Topology> LoadLiveTopology() {
  RAILGAUGE_ASSIGN_OR_RETURN(Topology topology, InitTopology(XmlDetail::kPlaces));
  if (hwloc_topology_load(topology.get()) == 0) return topology;
  return Fail(ErrnoError(errno, "read the topology of this machine", "",
                         "Check that /sys and /proc are mounted, and see what lstopo says"));
}

Result<Topology> LoadXmlTopology(const std::string& path, XmlDetail detail,
                                 const std::function<void(hwloc_topology_t)>& use) {
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string text, ReadXmlFile(path));
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string xml, CleanTopologyXml(text, path));
  const auto try_it = [&] {
    const Result<Topology> topology = TopologyOfText(xml, path, detail);
    if (topology) use(topology->get());
    return topology.has_value();
  };
  RAILGAUGE_ASSIGN_OR_RETURN(const TrialOutcome outcome, TryInChild(try_it, kXmlDeadline));
  if (outcome == TrialOutcome::kDied || outcome == TrialOutcome::kLate) {
    return Fail(MakeError(
        "parse topology XML", path,
        fmt::format("hwloc {} {} it, so its objects or their sets are broken", LibraryVersion(),
                    outcome == TrialOutcome::kDied ? "crashes on" : "hangs on"),
        std::string(kExportAgain)));
  }
  return TopologyOfText(xml, path, detail);
}

Result<std::string> ExportXml(hwloc_topology_t topology, const std::string& object) {
  char* xml = nullptr;
  int size = 0;  // with the zero at the end
  if (hwloc_topology_export_xmlbuffer(topology, &xml, &size, 0) != 0) {
    return Fail(ErrnoError(errno, "export the topology", object));
  }
  std::string text(xml);
  hwloc_free_xmlbuffer(topology, xml);
  return text;
}

}  // namespace railgauge
