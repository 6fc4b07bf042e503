#include "lib/placement/import/nccl_graph.h"

#include <cstdint>
#include <string>
#include <vector>

#include "fmt/core.h"
#include "lib/base/quoted.h"
#include "lib/placement/import/nccl_topology.h"
#include "lib/placement/import/xml_tree.h"

namespace railgauge {
namespace {

// Newer versions put the number of the host into the top byte.
constexpr int64_t kLocalMask = (int64_t{1} << 56) - 1;

Error NotInTopology(const ImportSource& source, const XmlElement& element, int64_t number) {
  return ImportError(source, element.line,
                     fmt::format("the topology file has no {} number {}",
                                 element.name == "net" ? "net" : "GPU", number),
                     "Give the graph and the topology that one run wrote");
}

Result<MemoryPlace> GpuOf(const ImportSource& source, const XmlElement& element,
                          const NcclTopology& topology) {
  RAILGAUGE_ASSIGN_OR_RETURN(int64_t number, IntegerOf(source, element, "dev"));
  number &= kLocalMask;
  for (const NcclTopology::Gpu& gpu : topology.gpus) {
    if (static_cast<int64_t>(gpu.device.number) == number) return gpu.place;
  }
  return Fail(NotInTopology(source, element, number));
}

Status AddNetOf(const ImportSource& source, const XmlElement& net, const MemoryPlace& gpu,
                const NcclTopology& topology, Decision& decision) {
  RAILGAUGE_ASSIGN_OR_RETURN(int64_t number, IntegerOf(source, net, "dev"));
  number &= kLocalMask;
  for (const NcclTopology::Net& known : topology.nets) {
    if (known.number != number) continue;
    AddPairs(gpu, known.nics, decision);
    return {};
  }
  return Fail(NotInTopology(source, net, number));
}

Status AddChannel(const ImportSource& source, const XmlElement& channel, int64_t pattern,
                  const NcclTopology& topology, Decision& decision) {
  constexpr int64_t kBalancedTree = 1;
  constexpr int64_t kSplitTree = 2;
  constexpr int64_t kRing = 4;
  std::vector<const XmlElement*> gpus;
  std::vector<const XmlElement*> nets;
  for (const XmlElement& child : channel.children) {
    if (child.name == "gpu") gpus.push_back(&child);
    if (child.name == "net") nets.push_back(&child);
  }
  if (gpus.empty() || nets.empty()) return {};  // a channel within one host
  RAILGAUGE_ASSIGN_OR_RETURN(const MemoryPlace first, GpuOf(source, *gpus.front(), topology));
  RAILGAUGE_RETURN_IF_ERROR(AddNetOf(source, *nets.front(), first, topology, decision));
  if (nets.size() < 2) return {};
  const XmlElement* other = nullptr;
  if (pattern == kRing) other = gpus.back();
  if (pattern == kBalancedTree || pattern == kSplitTree) other = gpus[gpus.size() > 1 ? 1 : 0];
  if (other == nullptr) return {};
  RAILGAUGE_ASSIGN_OR_RETURN(const MemoryPlace second, GpuOf(source, *other, topology));
  return AddNetOf(source, *nets[1], second, topology, decision);
}

}  // namespace

Result<Decision> ImportNcclGraph(const ImportSource& graph, const ImportSource& topology_source) {
  RAILGAUGE_ASSIGN_OR_RETURN(const NcclTopology topology, ParseNcclTopology(topology_source));
  RAILGAUGE_ASSIGN_OR_RETURN(const XmlElement root, ParseXml(graph));
  if (root.name != "graphs") {
    return Fail(ImportError(graph, root.line,
                            "the root is <" + Shortened(root.name) + "> and a graph's is <graphs>",
                            "Give the file that NCCL_GRAPH_DUMP_FILE wrote"));
  }
  Decision decision{graph.file_name, {}};
  for (const XmlElement& element : root.children) {
    if (element.name != "graph") continue;
    RAILGAUGE_ASSIGN_OR_RETURN(const int64_t pattern, IntegerOf(graph, element, "pattern"));
    for (const XmlElement& channel : element.children) {
      if (channel.name != "channel") continue;
      RAILGAUGE_RETURN_IF_ERROR(AddChannel(graph, channel, pattern, topology, decision));
    }
  }
  if (decision.assignments.empty()) {
    return Fail(ImportError(graph, root.line, "no channel of it uses a NIC",
                            "Give the graph of a run over several hosts"));
  }
  return decision;
}

}  // namespace railgauge
