#include "lib/placement/import/nccl_topology.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "lib/placement/import/xml_tree.h"
#include "lib/placement/policies/nixl.h"

namespace railgauge {
namespace {

// GB/s of a link, by NCCL's reckoning: lanes times what a generation carries in one; what is not
// given is PCIe 3.0 x16.
double LinkSpeed(const XmlElement& pci) {
  constexpr std::pair<std::string_view, double> kLanes[] = {
      {"2.5 GT/s", 0.1875}, {"5 GT/s", 0.375}, {"8 GT/s", 0.75}, {"8.0 GT/s", 0.75},
      {"16 GT/s", 1.5},     {"32 GT/s", 3},    {"64 GT/s", 6}};
  const std::string* speed = pci.Find("link_speed");
  const std::string* width = pci.Find("link_width");
  double lane = 0.75;
  for (const auto& [name, gb_per_s] : kLanes) {
    if (speed != nullptr && speed->starts_with(name)) lane = gb_per_s;
  }
  const int lanes = width == nullptr ? 0 : std::atoi(width->c_str());
  return lane * (lanes <= 0 ? 16 : lanes);
}

bool ClassIs(const XmlElement& pci, std::string_view prefix) {
  const std::string* value = pci.Find("class");
  return value != nullptr && value->starts_with(prefix);
}

class Reader {
 public:
  explicit Reader(const ImportSource& source) : source_(source) {}

  Status Read(const XmlElement& root) {
    for (const XmlElement& child : root.children) {
      if (child.name != "cpu") continue;
      NcclDevice above;
      if (child.Find("numaid") != nullptr) {
        RAILGAUGE_ASSIGN_OR_RETURN(const int64_t node, IntegerOf(source_, child, "numaid"));
        above.numa_node = static_cast<int>(node);
      }
      RAILGAUGE_RETURN_IF_ERROR(ReadBelow(child, above));
    }
    return {};
  }

  NcclTopology topology;

 private:
  Status ReadBelow(const XmlElement& parent, const NcclDevice& above) {
    for (const XmlElement& child : parent.children) {
      if (child.name == "pci") RAILGAUGE_RETURN_IF_ERROR(ReadPci(child, above));
    }
    return {};
  }

  Status ReadPci(const XmlElement& pci, const NcclDevice& above) {
    const std::string* busid = pci.Find("busid");
    if (busid == nullptr) return Fail(ImportError(source_, pci.line, "<pci> has no busid"));
    NcclDevice device = above;
    device.hops.insert(device.hops.begin(), {*busid, LinkSpeed(pci)});
    const auto has = [&](std::string_view name) {
      return std::any_of(pci.children.begin(), pci.children.end(),
                         [&](const XmlElement& child) { return child.name == name; });
    };
    if (has("gpu") || (pci.children.empty() && ClassIs(pci, "0x03"))) {
      return AddGpu(pci, *busid, std::move(device));
    }
    if (has("nic")) return AddNic(pci, *busid, device);
    if (pci.children.empty() && ClassIs(pci, "0x02")) {
      RAILGAUGE_ASSIGN_OR_RETURN(NicKey nic, NicAt(source_, pci.line, *busid));
      topology.nets.push_back(
          {static_cast<int64_t>(topology.nets.size()), {std::move(nic)}, std::move(device)});
      return {};
    }
    return ReadBelow(pci, device);
  }

  Status AddGpu(const XmlElement& pci, const std::string& busid, NcclDevice device) {
    RAILGAUGE_ASSIGN_OR_RETURN(const MemoryPlace place, GpuAt(source_, pci.line, busid));
    device.number = topology.gpus.size();
    for (const XmlElement& child : pci.children) {
      if (child.name != "gpu" || child.Find("dev") == nullptr) continue;
      RAILGAUGE_ASSIGN_OR_RETURN(const int64_t number, IntegerOf(source_, child, "dev"));
      device.number = static_cast<size_t>(std::max<int64_t>(number, 0));
    }
    topology.gpus.push_back({place, std::move(device)});
    return {};
  }

  Status AddNic(const XmlElement& pci, const std::string& busid, const NcclDevice& device) {
    for (const XmlElement& nic : pci.children) {
      if (nic.name != "nic") continue;
      for (const XmlElement& net : nic.children) {
        if (net.name == "net") RAILGAUGE_RETURN_IF_ERROR(AddNet(net, busid, device));
      }
    }
    return {};
  }

  Status AddNet(const XmlElement& net, const std::string& busid, NcclDevice device) {
    RAILGAUGE_ASSIGN_OR_RETURN(const int64_t number, IntegerOf(source_, net, "dev"));
    if (net.Find("speed") != nullptr) {
      RAILGAUGE_ASSIGN_OR_RETURN(const int64_t mbit_per_s, IntegerOf(source_, net, "speed"));
      double& link = device.hops.front().uplink_gb_per_s;
      link = std::min(link, static_cast<double>(mbit_per_s) / 8000);
    }
    NcclTopology::Net found{number, {}, std::move(device)};
    const std::string* name = net.Find("name");
    // NCCL names what it merged "a+b".
    if (name != nullptr && name->find('+') != std::string::npos) {
      for (std::string_view rest = *name; !rest.empty();) {
        const size_t plus = rest.find('+');
        RAILGAUGE_ASSIGN_OR_RETURN(NicKey nic, NicAt(source_, net.line, rest.substr(0, plus)));
        found.nics.push_back(std::move(nic));
        rest.remove_prefix(plus == std::string_view::npos ? rest.size() : plus + 1);
      }
    } else {
      RAILGAUGE_ASSIGN_OR_RETURN(NicKey nic, NicAt(source_, net.line, busid));
      found.nics.push_back(std::move(nic));
    }
    topology.nets.push_back(std::move(found));
    return {};
  }

  const ImportSource& source_;
};

void ExpandGroups(const Machine& machine, std::vector<NcclTopology::Net>& nets) {
  const std::vector<std::vector<size_t>> groups = AwsOfiNcclGroups(machine);
  if (groups.size() != nets.size() || nets.size() == machine.nics.size()) return;
  std::vector<std::vector<NicKey>> expanded(nets.size());
  for (const std::vector<size_t>& group : groups) {
    std::vector<NicKey> keys;
    for (const size_t n : group) keys.push_back(machine.nics[n].key());
    size_t members = 0;
    for (size_t i = 0; i < nets.size(); ++i) {
      if (nets[i].nics.size() != 1) return;
      if (std::find(keys.begin(), keys.end(), nets[i].nics.front()) == keys.end()) continue;
      expanded[i] = keys;
      ++members;
    }
    if (members != 1) return;
  }
  for (size_t i = 0; i < nets.size(); ++i) nets[i].nics = std::move(expanded[i]);
}

}  // namespace

Result<NcclTopology> ParseNcclTopology(const ImportSource& source) {
  RAILGAUGE_ASSIGN_OR_RETURN(const XmlElement root, ParseXml(source));
  if (root.name != "system") {
    return Fail(
        ImportError(source, root.line,
                    "the root is <" + Printable(root.name) + "> and a topology's is <system>",
                    "Give the file that NCCL_TOPO_DUMP_FILE wrote"));
  }
  Reader reader(source);
  RAILGAUGE_RETURN_IF_ERROR(reader.Read(root));
  NcclTopology& topology = reader.topology;
  if (topology.gpus.empty() || topology.nets.empty()) {
    return Fail(ImportError(source, root.line,
                            topology.gpus.empty() ? "it has no GPU" : "it has no network device",
                            "Give the topology of a run over several hosts, with all its devices"));
  }
  ExpandGroups(source.machine, topology.nets);
  return std::move(topology);
}

Result<Decision> ImportNcclTopology(const ImportSource& source) {
  RAILGAUGE_ASSIGN_OR_RETURN(const NcclTopology topology, ParseNcclTopology(source));
  std::vector<NcclDevice> gpus;
  std::vector<NcclDevice> nets;
  for (const NcclTopology::Gpu& gpu : topology.gpus) gpus.push_back(gpu.device);
  for (const NcclTopology::Net& net : topology.nets) nets.push_back(net.device);
  const std::vector<std::vector<size_t>> nets_of = NcclLocalNets(gpus, nets);
  Decision decision{source.file_name, {}};
  for (size_t g = 0; g < gpus.size(); ++g) {
    for (const size_t n : nets_of[g]) {
      AddPairs(topology.gpus[g].place, topology.nets[n].nics, decision);
    }
  }
  return decision;
}

}  // namespace railgauge
