#include "lib/placement/import/nccl_topology.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/quoted.h"
#include "lib/placement/import/xml_tree.h"
#include "lib/placement/policies/nixl.h"

namespace railgauge {
namespace {

// GB/s of a link, by NCCL's reckoning: lanes times what a generation carries in one; what is not
// given is PCIe 3.0 x16.
double LinkSpeed(const XmlElement& pci) {
  // Kernels write "16 GT/s", "16.0 GT/s PCIe" or "5.0 GT/s".
  constexpr std::pair<double, double> kLanes[] = {{2.5, 0.1875}, {5, 0.375}, {8, 0.75},
                                                  {16, 1.5},     {32, 3},    {64, 6}};
  const std::string* speed = pci.Find("link_speed");
  const std::string* width = pci.Find("link_width");
  double lane = 0.75;
  for (const auto& [transfers, gb_per_s] : kLanes) {
    if (speed != nullptr && std::atof(speed->c_str()) == transfers) lane = gb_per_s;
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
      RAILGAUGE_RETURN_IF_ERROR(CheckOneHost(child));
      NcclDevice above;
      if (child.Find("numaid") != nullptr) {
        RAILGAUGE_ASSIGN_OR_RETURN(const int64_t node, IntegerOf(source_, child, "numaid"));
        above.numa_node = static_cast<int>(node);
      }
      RAILGAUGE_RETURN_IF_ERROR(ReadBelow(child, above));
      RAILGAUGE_RETURN_IF_ERROR(AddNic(child, "", above));
    }
    return {};
  }

  NcclTopology topology;

 private:
  // NCCL joins the trees of hosts that NVLink connects, where addresses come again.
  Status CheckOneHost(const XmlElement& cpu) {
    const std::string* host = cpu.Find("host_hash");
    if (host == nullptr) return {};
    if (host_.empty()) host_ = *host;
    if (host_ == *host) return {};
    return Fail(ImportError(source_, cpu.line, "this <cpu> is of another host than those above",
                            "Give the topology of one host: dump it with NCCL_MNNVL_ENABLE=0"));
  }

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

  // Of a PCI function, or of a CPU: what NCCL merged of NICs that share nothing nearer.
  Status AddNic(const XmlElement& parent, const std::string& busid, const NcclDevice& device) {
    for (const XmlElement& nic : parent.children) {
      if (nic.name != "nic") continue;
      for (const XmlElement& net : nic.children) {
        if (net.name == "net") RAILGAUGE_RETURN_IF_ERROR(AddNet(net, busid, device));
      }
    }
    return {};
  }

  Status AddNet(const XmlElement& net, const std::string& busid, NcclDevice device) {
    RAILGAUGE_ASSIGN_OR_RETURN(const int64_t number, IntegerOf(source_, net, "dev"));
    constexpr double kNoLink = 5000;  // NCCL's LOC_BW
    if (device.hops.empty()) device.hops.push_back({"", kNoLink});
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
      const std::string& at = busid.empty() && name != nullptr ? *name : busid;
      RAILGAUGE_ASSIGN_OR_RETURN(NicKey nic, NicAt(source_, net.line, at));
      found.nics.push_back(std::move(nic));
    }
    topology.nets.push_back(std::move(found));
    return {};
  }

  const ImportSource& source_;
  std::string host_;
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
                    "the root is <" + Shortened(root.name) + "> and a topology's is <system>",
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
