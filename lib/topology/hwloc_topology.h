// An hwloc topology, owned, with all I/O devices; and how one is made from this computer or from a
// file that nobody vouches for.
//
// The only place that configures hwloc; what reads a topology (load.h) or adds to one (annotate.h)
// is given a loaded one.
#ifndef RAILGAUGE_LIB_TOPOLOGY_HWLOC_TOPOLOGY_H_
#define RAILGAUGE_LIB_TOPOLOGY_HWLOC_TOPOLOGY_H_

#include <hwloc.h>

#include <functional>
#include <memory>
#include <string>

#include "lib/base/result.h"

namespace railgauge {

struct TopologyDeleter {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

// This computer's.
Result<Topology> LoadLiveTopology();

enum class XmlDetail {
  kPlaces,      // without caches, and without what this process or its cgroup may not use
  kEverything,  // all that the file has
};

// That of the hwloc XML file at `path` (load.h says which files are taken, and what an Error is).
// hwloc crashes on some files, in loading or when what it loaded is used. So a child process does
// both first: loads it, and calls `use`, which must need nothing else of this process.
Result<Topology> LoadXmlTopology(const std::string& path, XmlDetail detail,
                                 const std::function<void(hwloc_topology_t)>& use);

// The topology as hwloc XML. `object` is of what, for messages.
Result<std::string> ExportXml(hwloc_topology_t topology, const std::string& object);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_TOPOLOGY_HWLOC_TOPOLOGY_H_
