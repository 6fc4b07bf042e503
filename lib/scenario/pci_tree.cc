#include "lib/scenario/pci_tree.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "fmt/core.h"

namespace railgauge {
namespace {

using Kind = EmulatedPciDevice::Kind;

constexpr int kMaxTreeDepth = 16;       // stops a tree that names itself
constexpr size_t kMaxFunctions = 4096;  // stops trees that name each other twice and twice again

// Where a list of functions is being expanded.
struct Below {
  uint32_t domain = 0;
  uint8_t base_bus = 0;  // what "+N" is counted from
  uint8_t bus = 0;       // the bus that the functions sit on
  uint8_t last_bus = 0;  // the last bus of the bridge above; ff below a host bridge
  int depth = 0;
};

// "bb" or "+n" (hexadecimal, counted from `base`).
std::optional<uint8_t> ParseBus(std::string_view text, uint8_t base) {
  const bool relative = text.starts_with('+');
  if (relative) text.remove_prefix(1);
  uint32_t bus = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, bus, 16);
  if (error != std::errc() || rest != end || text.size() > 2) return std::nullopt;
  if (relative) bus += base;
  return bus <= 0xff ? std::optional(static_cast<uint8_t>(bus)) : std::nullopt;
}

template <typename Map>
std::vector<std::string> KeysOf(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

class TreeReader {
 public:
  TreeReader(const std::map<std::string, PciFunctionType>& functions, EmulatedMachine* machine,
             YamlErrors* errors)
      : functions_(functions), machine_(machine), errors_(errors) {}

  void ReadTrees(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::kMap) {
      errors_->AddWrong(node, "trees", "a map of lists of functions by name");
    }
    for (const YamlMember& member : node.members) trees_[member.key] = &member.value;
  }

  void ReadHostBridges(const YamlNode& node) {
    for (const YamlNode& item : ReadList(node, "host_bridges", errors_)) {
      const YamlMap map(item, "a host bridge", {"at", "numa_node", "functions"}, errors_);
      const auto numa_node = ReadNumaNode(map.Required("numa_node"));
      for (const YamlNode* at : ReadOneOrMore(map.Required("at"), "at", errors_)) {
        ReadHostBridge(*at, numa_node, map.Required("functions"));
        if (!errors_->ok()) return;
      }
    }
    CheckHostBridges(node.line);
    for (const auto& [name, line] : UnusedTrees()) {
      errors_->Add(line, fmt::format("tree '{}' is used nowhere", Printable(name)), "Remove it");
    }
  }

 private:
  std::optional<uint32_t> ReadNumaNode(const YamlNode& node) {
    if (node.scalar == "unknown") return std::nullopt;
    const auto index = static_cast<uint32_t>(ReadUint(node, "numa_node", 0, UINT32_MAX, errors_));
    for (const EmulatedNumaNode& known : machine_->numa_nodes) {
      if (known.index == index) return index;
    }
    errors_->Add(node.line, fmt::format("there is no NUMA node {}", index),
                 "Name one of numa_nodes, or write unknown");
    return std::nullopt;
  }

  void ReadHostBridge(const YamlNode& at, std::optional<uint32_t> numa_node,
                      const YamlNode& functions) {
    const auto address = PciAddress::Parse(at.scalar + ":00.0");
    if (!address) {
      errors_->AddWrong(at, "at", "domain and bus of the host bridge, like \"0000:44\"");
      return;
    }
    EmulatedHostBridge bridge;
    bridge.domain = address->domain;
    bridge.bus = bridge.subordinate_bus = address->bus;
    bridge.numa_node = numa_node;
    Below below;
    below.domain = address->domain;
    below.base_bus = below.bus = address->bus;
    below.last_bus = 0xff;
    bridge.children = Expand(functions, below);
    for (const EmulatedPciDevice& child : bridge.children) {
      bridge.subordinate_bus = std::max(bridge.subordinate_bus, child.subordinate_bus);
    }
    machine_->host_bridges.push_back(std::move(bridge));
  }

  // The functions of `list` with all that is below them, by ascending address.
  std::vector<EmulatedPciDevice> Expand(const YamlNode& list, const Below& below) {
    std::vector<EmulatedPciDevice> devices;
    if (below.depth > kMaxTreeDepth) {
      errors_->Add(list.line, fmt::format("trees nested deeper than {}", kMaxTreeDepth),
                   "Let no tree name itself");
      return devices;
    }
    for (const YamlNode& item : ReadList(list, "functions", errors_)) {
      if (!errors_->ok()) break;
      if (item.Find("tree") == nullptr) {
        devices.push_back(ReadFunction(item, below));
        continue;
      }
      std::vector<EmulatedPciDevice> more = ExpandTree(item, below);
      devices.insert(devices.end(), more.begin(), more.end());
    }
    const auto by_address = [](const EmulatedPciDevice& a, const EmulatedPciDevice& b) {
      return a.address < b.address;
    };
    std::sort(devices.begin(), devices.end(), by_address);
    CheckSiblingBuses(devices, list.line);
    return devices;
  }

  std::vector<EmulatedPciDevice> ExpandTree(const YamlNode& item, Below below) {
    const YamlMap map(item, "a tree's place", {"tree"}, errors_);
    const std::string name = map.Text("tree");
    const auto found = trees_.find(name);
    if (found == trees_.end()) {
      errors_->Add(item.line, fmt::format("there is no tree '{}'", Printable(name)),
                   AdviceAmong(name, KeysOf(trees_)));
      return {};
    }
    used_trees_.insert(name);
    ++below.depth;
    return Expand(*found->second, below);
  }

  EmulatedPciDevice ReadFunction(const YamlNode& item, const Below& below) {
    const YamlMap map(item, "a function's place",
                      {"function", "at", "buses", "below", "name", "link"}, errors_);
    const std::string type_name = map.Text("function");
    const auto type = functions_.find(type_name);
    if (!errors_->ok()) return {};
    if (type == functions_.end()) {
      errors_->Add(map.Required("function").line,
                   fmt::format("there is no function '{}'", Printable(type_name)),
                   AdviceAmong(type_name, KeysOf(functions_)));
      return {};
    }
    EmulatedPciDevice device = type->second.device;
    device.address = ReadAddress(map.Required("at"), below);
    device.subordinate_bus = device.address.bus;
    if (const YamlNode* link = map.Optional("link")) ReadLink(*link, &device, errors_);
    if (!errors_->ok()) return device;
    if (!addresses_.insert(device.address).second) {
      errors_->Add(item.line,
                   fmt::format("two functions have the PCI address {}", device.address.ToString()),
                   "Give one of them another address");
    }
    if (addresses_.size() > kMaxFunctions) {
      errors_->Add(item.line, fmt::format("more than {} PCI functions", kMaxFunctions),
                   "Use fewer trees");
    }
    if (device.kind == Kind::kBridge) {
      ReadBridge(map, below, &device);
    } else {
      AddEndpoint(map, type->second, &device);
    }
    return device;
  }

  PciAddress ReadAddress(const YamlNode& node, const Below& below) {
    const size_t colon = node.scalar.find(':');
    const auto bus = ParseBus(std::string_view(node.scalar).substr(0, colon), below.base_bus);
    const auto rest = colon == std::string::npos
                          ? std::nullopt
                          : PciAddress::Parse("0000:00" + node.scalar.substr(colon));
    if (!bus || !rest) {
      errors_->AddWrong(node, "at",
                        "bus, device and function in hexadecimal, like \"47:00.0\", or \"+3:00.0\" "
                        "with the bus counted from the host bridge's");
      return {};
    }
    const PciAddress address{below.domain, *bus, rest->device, rest->function};
    if (*bus < below.bus || *bus > below.last_bus) {
      errors_->Add(node.line,
                   fmt::format("{} is outside the buses {:02x} to {:02x} of the bridge above it",
                               address.ToString(), below.bus, below.last_bus),
                   "Correct the address or the bridge's buses");
    } else if (*bus != below.bus) {
      errors_->Add(node.line,
                   fmt::format("{} is not on bus {:02x}, which is the one right below the bridge "
                               "above it",
                               address.ToString(), below.bus),
                   "Correct the address, or put it below a further bridge");
    }
    return address;
  }

  void ReadBridge(const YamlMap& map, const Below& above, EmulatedPciDevice* device) {
    const YamlNode& buses = map.Required("buses");
    const std::string_view text = buses.scalar;
    const size_t dots = text.find("..");
    const auto first = ParseBus(text.substr(0, dots), above.base_bus);
    const auto last =
        dots == std::string_view::npos ? first : ParseBus(text.substr(dots + 2), above.base_bus);
    if (!errors_->ok()) return;
    if (!first || !last || *first > *last) {
      errors_->AddWrong(buses, "buses", "one bus or a range in hexadecimal, like +1 or +1..+10");
      return;
    }
    if (*first <= device->address.bus || *last > above.last_bus) {
      errors_->Add(
          buses.line,
          fmt::format("buses {:02x} to {:02x} of the bridge {} are not all above its own "
                      "bus and within the {:02x} to {:02x} of the bridge above it",
                      *first, *last, device->address.ToString(), above.bus, above.last_bus),
          "Correct the range");
      return;
    }
    if (map.Optional("name") != nullptr) {
      errors_->Add(map.Optional("name")->line, "a bridge has no name", "Remove it");
    }
    device->secondary_bus = *first;
    device->subordinate_bus = *last;
    const YamlNode* list = map.Optional("below");
    if (list == nullptr) return;
    Below below = above;
    below.bus = *first;
    below.last_bus = *last;
    ++below.depth;
    device->children = Expand(*list, below);
  }

  void AddEndpoint(const YamlMap& map, const PciFunctionType& type, EmulatedPciDevice* device) {
    for (const char* key : {"buses", "below"}) {
      if (const YamlNode* node = map.Optional(key)) {
        errors_->Add(node->line, fmt::format("'{}' on a function that is no bridge", key),
                     "Remove it, or use a function of kind bridge");
      }
    }
    const YamlNode* name = map.Optional("name");
    const auto name_of = [&](const std::string& pattern) {
      return ExpandName(name != nullptr ? ReadText(*name, "name", errors_) : pattern,
                        device->address, map.line(), errors_);
    };
    switch (device->kind) {
      case Kind::kNic: {
        EmulatedNic nic = type.nic;
        nic.address = device->address;
        nic.name = name_of(type.nic.name);
        AddName(nic.name, map.line());
        machine_->nics.push_back(std::move(nic));
        return;
      }
      case Kind::kGpu: {
        EmulatedGpu gpu = type.gpu;
        gpu.address = device->address;
        if (name != nullptr) gpu.name = ReadText(*name, "name", errors_);
        machine_->gpus.push_back(std::move(gpu));
        return;
      }
      case Kind::kAccelerator:
        if (name != nullptr) errors_->Add(name->line, "an accelerator has no name", "Remove it");
        machine_->accelerators.push_back(device->address);
        return;
      case Kind::kRdma:
        device->rdma_device = name_of(type.name_pattern);
        AddName(device->rdma_device, map.line());
        return;
      case Kind::kOther:
        if (type.name_pattern.empty() && name == nullptr) return;
        device->network_interface = name_of(type.name_pattern);
        AddName(device->network_interface, map.line());
        return;
      case Kind::kBridge:
        return;
    }
  }

  void AddName(const std::string& name, int line) {
    if (!names_.insert(name).second) {
      errors_->Add(line, fmt::format("two devices have the name '{}'", name),
                   "Let the name hold {bus} and {device}, or give one of them its own 'name'");
    }
  }

  // `devices` are sorted by address, but their buses need not be in that order.
  void CheckSiblingBuses(const std::vector<EmulatedPciDevice>& devices, int line) {
    std::set<uint8_t> taken;
    for (const EmulatedPciDevice& device : devices) {
      if (device.kind != Kind::kBridge || !errors_->ok()) continue;
      for (int bus = device.secondary_bus; bus <= device.subordinate_bus; ++bus) {
        if (!taken.insert(static_cast<uint8_t>(bus)).second) {
          errors_->Add(line,
                       fmt::format("bus {:02x} is below two bridges, one of them {}", bus,
                                   device.address.ToString()),
                       "Correct the buses of one");
          return;
        }
      }
    }
  }

  void CheckHostBridges(int line) {
    auto& bridges = machine_->host_bridges;
    std::sort(bridges.begin(), bridges.end(),
              [](const EmulatedHostBridge& a, const EmulatedHostBridge& b) {
                return std::pair(a.domain, a.bus) < std::pair(b.domain, b.bus);
              });
    for (size_t i = 1; i < bridges.size(); ++i) {
      const EmulatedHostBridge& low = bridges[i - 1];
      if (low.domain == bridges[i].domain && low.subordinate_bus >= bridges[i].bus) {
        errors_->Add(line,
                     fmt::format("the buses of host bridge {:04x}:{:02x} reach to {:02x}, into "
                                 "those of {:04x}:{:02x}",
                                 low.domain, low.bus, low.subordinate_bus, bridges[i].domain,
                                 bridges[i].bus),
                     "Correct the buses of one");
      }
    }
  }

  std::map<std::string, int> UnusedTrees() const {
    std::map<std::string, int> unused;
    for (const auto& [name, node] : trees_) {
      if (used_trees_.count(name) == 0) unused[name] = node->line;
    }
    return unused;
  }

  const std::map<std::string, PciFunctionType>& functions_;
  EmulatedMachine* machine_;
  YamlErrors* errors_;
  std::map<std::string, const YamlNode*> trees_;
  std::set<std::string> used_trees_;
  std::set<PciAddress> addresses_;
  std::set<std::string> names_;
};

}  // namespace

void ReadPciTrees(const YamlNode& host_bridges, const YamlNode* trees,
                  const std::map<std::string, PciFunctionType>& functions, EmulatedMachine* machine,
                  YamlErrors* errors) {
  TreeReader reader(functions, machine, errors);
  if (trees != nullptr) reader.ReadTrees(*trees);
  if (!errors->ok()) return;
  reader.ReadHostBridges(host_bridges);
  const auto by_address = [](const auto& a, const auto& b) { return a.address < b.address; };
  std::sort(machine->nics.begin(), machine->nics.end(), by_address);
  std::sort(machine->gpus.begin(), machine->gpus.end(), by_address);
  std::sort(machine->accelerators.begin(), machine->accelerators.end());
  for (EmulatedNic& nic : machine->nics) {
    // A locally administered EUI-64 made of the address: unique within the machine.
    const std::string guid =
        fmt::format("0200:{:04x}:00{:02x}:{:02x}{:02x}", nic.address.domain & 0xffff,
                    nic.address.bus, nic.address.device, nic.address.function);
    nic.node_guid = guid;
    nic.gid = "fe80:0000:0000:0000:" + guid;
  }
}

}  // namespace railgauge
