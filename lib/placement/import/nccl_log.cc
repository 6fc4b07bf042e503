#include "lib/placement/import/nccl_log.h"

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "lib/base/quoted.h"
#include "lib/topology/spelling.h"

namespace railgauge {
namespace {

constexpr std::string_view kAdvice =
    "Record it with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET,GRAPH on several hosts";

// Reads a line from left to right.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  // Moves behind the next `text`, or stays.
  bool SkipTo(std::string_view text) {
    const size_t at = rest_.find(text);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + text.size());
    return true;
  }
  // Moves behind `text` when it comes now.
  bool Skip(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  std::optional<uint64_t> Number(int base = 10) {
    uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }
  // What comes until one of `ends`, which stays.
  std::string_view Until(std::string_view ends) {
    const std::string_view text = rest_.substr(0, rest_.find_first_of(ends));
    rest_.remove_prefix(text.size());
    return text;
  }

 private:
  std::string_view rest_;
};

// "[1,2]<stdout>:node-a:75:95 [2] NCCL INFO …": node-a. Empty for a line that is not NCCL's.
std::string_view HostOf(std::string_view line) {
  std::string_view head = line.substr(0, line.find(" NCCL "));
  if (head.size() == line.size()) return {};
  if (const size_t device = head.rfind(" ["); device != std::string_view::npos) {
    head = head.substr(0, device);
  }
  if (const size_t blank = head.rfind(' '); blank != std::string_view::npos) {
    head.remove_prefix(blank + 1);
  }
  for (int i = 0; i < 2; ++i) head = head.substr(0, head.rfind(':'));  // thread and process
  if (const size_t colon = head.rfind(':'); colon != std::string_view::npos) {
    head.remove_prefix(colon + 1);
  }
  return head;
}

// NCCL's bus id: the digits of the PCI address without separators, as one hexadecimal number.
PciAddress AddressOf(uint64_t bus_id) {
  return {static_cast<uint32_t>(bus_id >> 20), static_cast<uint8_t>(bus_id >> 12),
          static_cast<uint8_t>((bus_id >> 4) & 0x1f), static_cast<uint8_t>(bus_id & 0x7)};
}

struct ChannelUse {
  size_t line = 0;
  uint64_t rank = 0;
  std::optional<uint64_t> bus_id;  // where the line itself says it
  uint64_t net = 0;
  std::string plugin;
};

// What the log says of one host.
struct HostLog {
  std::map<uint64_t, uint64_t> bus_id_of_rank;
  std::vector<ChannelUse> uses;
  struct Name {
    size_t line = 0;
    std::string text;  // address or device name
  };
  std::map<uint64_t, std::vector<Name>> groups;  // of aws-ofi-nccl
  std::map<uint64_t, std::vector<Name>> nets;    // by the graph, or NCCL's own plugin
  std::string last_nic;                          // of the graph's lines

  void ReadComm(Scanner line) {
    if (!line.SkipTo(" rank ")) return;
    const auto rank = line.Number();
    if (!rank || !line.SkipTo(" busId ")) return;
    if (const auto bus_id = line.Number(16)) bus_id_of_rank[*rank] = *bus_id;
  }

  void ReadChannel(size_t number, Scanner line) {
    if (!line.SkipTo("Channel ") || !line.SkipTo(" : ")) return;
    ChannelUse use{number, 0, {}, 0, ""};
    std::optional<uint64_t> ranks[2];
    std::optional<uint64_t> brackets[2];
    for (int end = 0; end < 2; ++end) {
      if (end == 1 && !line.Skip(" -> ")) return;
      ranks[end] = line.Number();
      if (!ranks[end]) return;
      if (line.Skip("[")) {
        brackets[end] = line.Number(16);
        line.Skip("]");
      }
    }
    const bool send = line.Skip(" [send]");
    if (!send && !line.Skip(" [receive]")) return;
    if (!line.Skip(" via NET/")) return;
    use.plugin = line.Until("/");
    if (!line.Skip("/")) return;
    const auto net = line.Number();
    if (!net) return;
    use.net = *net;
    use.rank = *ranks[send ? 0 : 1];
    // Small numbers are ordinals, as new versions write; no GPU is on bus 0 of a real machine.
    const auto& bracket = brackets[send ? 0 : 1];
    if (bracket && *bracket >= 0x1000) use.bus_id = *bracket;
    if (line.Skip("(")) {
      if (const auto proxy = line.Number()) {
        use.rank = *proxy;
        use.bus_id.reset();
      }
    }
    uses.push_back(std::move(use));
  }

  void ReadGroup(size_t number, Scanner line) {
    if (!line.SkipTo("NIC group ")) return;
    const auto group = line.Number();
    if (!group || !line.SkipTo(" device #") || !line.Number() || !line.Skip(" ")) return;
    groups[*group].push_back({number, std::string(line.Until(" \t"))});
  }

  // "+ PCI[12.0] - NIC/0-4f000", then "+ NET[12.5] - NET/0-3 (…)"; old versions leave out "0-".
  void ReadGraph(size_t number, std::string_view text) {
    Scanner nic(text);
    if (nic.SkipTo(" - NIC/")) {
      auto bus_id = nic.Number(16);
      if (nic.Skip("-")) bus_id = nic.Number(16);
      last_nic = bus_id ? AddressOf(*bus_id).ToString() : "";
      return;
    }
    Scanner net(text);
    if (last_nic.empty() || !net.SkipTo("+ NET[") || !net.SkipTo(" - NET/")) return;
    auto dev = net.Number(16);
    if (net.Skip("-")) dev = net.Number(16);
    if (dev && !nets.contains(*dev)) nets[*dev].push_back({number, last_nic});
  }

  void ReadIb(size_t number, Scanner line) {
    if (!line.SkipTo("NET/IB : Using ")) return;
    while (line.SkipTo("[")) {
      const auto dev = line.Number();
      if (!dev || !line.Skip("]")) continue;  // "[RO]" at the end
      const std::string_view name = line.Until(":");
      if (!nets.contains(*dev)) nets[*dev].push_back({number, std::string(name)});
    }
  }
};

std::map<std::string, HostLog> ReadHosts(std::string_view content) {
  std::map<std::string, HostLog> hosts;
  for (const TextLine& line : LinesOf(content)) {
    const std::string_view host = HostOf(line.text);
    if (host.empty()) continue;
    HostLog& log = hosts[std::string(host)];
    log.ReadComm(Scanner(line.text));
    log.ReadChannel(line.number, Scanner(line.text));
    log.ReadGroup(line.number, Scanner(line.text));
    log.ReadGraph(line.number, line.text);
    log.ReadIb(line.number, Scanner(line.text));
  }
  std::erase_if(hosts, [](const auto& host) { return host.second.uses.empty(); });
  return hosts;
}

// The part before the first dot: logs have short names, machines often long ones.
std::string_view ShortName(std::string_view host) { return host.substr(0, host.find('.')); }

Result<HostLog> HostOfMachine(const ImportSource& source) {
  std::map<std::string, HostLog> hosts = ReadHosts(source.content);
  if (hosts.empty()) {
    return Fail(ImportError(source, 1,
                            "no line says which NIC a channel uses (Channel … via NET/…)",
                            std::string(kAdvice)));
  }
  std::vector<std::string> names;
  for (auto& [name, log] : hosts) {
    if (ShortName(name) == ShortName(source.machine.hostname)) return std::move(log);
    names.push_back(Shortened(name));
  }
  if (hosts.size() == 1) return std::move(hosts.begin()->second);
  return Fail(ImportError(source, 1,
                          fmt::format("the log is of {}, and this machine is '{}'",
                                      JoinSome(names, 4), Shortened(source.machine.hostname)),
                          "Give the lines of one host"));
}

Result<MemoryPlace> GpuOf(const ImportSource& source, const HostLog& log, const ChannelUse& use) {
  const auto known = log.bus_id_of_rank.find(use.rank);
  if (known != log.bus_id_of_rank.end()) {
    return GpuAt(source, use.line, AddressOf(known->second).ToString());
  }
  if (use.bus_id) return GpuAt(source, use.line, AddressOf(*use.bus_id).ToString());
  return Fail(ImportError(source, use.line,
                          fmt::format("no line says which GPU rank {} is (busId)", use.rank),
                          std::string(kAdvice)));
}

}  // namespace

Result<Decision> ImportNcclLog(const ImportSource& source) {
  RAILGAUGE_ASSIGN_OR_RETURN(const HostLog log, HostOfMachine(source));
  const auto& nets = log.groups.empty() ? log.nets : log.groups;
  Decision decision{source.file_name, {}};
  for (const ChannelUse& use : log.uses) {
    if (use.plugin == "Socket") {
      return Fail(ImportError(source, use.line, "NCCL used sockets here, and no EFA NIC",
                              "Find out why its network plugin was not used; the log says it"));
    }
    const auto net = nets.find(use.net);
    if (net == nets.end()) {
      return Fail(ImportError(
          source, use.line,
          fmt::format("no line says which NIC NET/{}/{} is", Shortened(use.plugin), use.net),
          std::string(kAdvice)));
    }
    RAILGAUGE_ASSIGN_OR_RETURN(const MemoryPlace gpu, GpuOf(source, log, use));
    for (const HostLog::Name& name : net->second) {
      RAILGAUGE_ASSIGN_OR_RETURN(const NicKey nic, NicAt(source, name.line, name.text));
      AddPair(gpu, nic, decision);
    }
  }
  return decision;
}

}  // namespace railgauge
