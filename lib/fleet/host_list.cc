#include "lib/fleet/host_list.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "fmt/core.h"
#include "lib/base/quoted.h"
#include "lib/fleet/host_range.h"

namespace railgauge {
namespace {

constexpr std::string_view kLettersAndDigits =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

bool HasOnly(std::string_view text, std::string_view more) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return kLettersAndDigits.find(c) != std::string_view::npos ||
           more.find(c) != std::string_view::npos;
  });
}

// A host name, an IPv4 or an IPv6 address, in brackets or not.
bool IsAddress(std::string_view text) {
  if (text.starts_with('[')) return text.ends_with(']') && HasOnly(text, "[]:.%");
  return !text.empty() && text.front() != '-' && text.front() != '.' && HasOnly(text, "._-:%");
}

Error HostError(std::string_view operation, const std::string& where, std::string reason) {
  return MakeError(std::string(operation), where, std::move(reason),
                   "Name each host once, like node-a or node-a=10.0.0.7");
}

// Adds hosts one by one, and finds what is wrong with them.
class Hosts {
 public:
  Status Add(FleetNode node, const std::string& where) {
    if (node.address.empty()) node.address = node.name;
    if (!IsNodeName(node.name)) {
      return Fail(HostError("read the hosts", where, Quoted(node.name) + " is no host name"));
    }
    if (!IsAddress(node.address)) {
      return Fail(
          HostError("read the hosts", where,
                    fmt::format("{} is no address of {}", Quoted(node.address), node.name)));
    }
    if (!names_.insert(node.name).second) {
      return Fail(HostError("read the hosts", where, node.name + " is there twice"));
    }
    nodes_.push_back(std::move(node));
    return {};
  }

  Result<std::vector<FleetNode>> Take(const std::string& where) {
    if (nodes_.empty()) return Fail(HostError("read the hosts", where, "there is none"));
    return std::move(nodes_);
  }

 private:
  std::vector<FleetNode> nodes_;
  std::set<std::string> names_;
};

// "node-a:8", as MPI's lists have it, without the number of processes.
std::string WithoutSlots(const std::string& word) {
  const size_t colon = word.find(':');
  const bool digits = colon != std::string::npos && colon + 1 < word.size() &&
                      word.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  return digits ? word.substr(0, colon) : word;
}

}  // namespace

bool IsNodeName(std::string_view name) {
  constexpr size_t kLongest = 200;
  return !name.empty() && name.size() <= kLongest &&
         kLettersAndDigits.find(name.front()) != std::string_view::npos && HasOnly(name, "._-");
}

Result<std::vector<FleetNode>> ParseHosts(std::string_view text, const std::string& what) {
  Hosts hosts;
  for (const std::string& item : SplitHostList(text)) {
    if (item.empty())
      return Fail(HostError("read the hosts", what, "a comma has no name beside it"));
    const size_t equals = item.find('=');
    const std::string address = equals == std::string::npos ? "" : item.substr(equals + 1);
    if (equals != std::string::npos && address.empty()) {
      return Fail(HostError("read the hosts", what, "there is no address behind " + item));
    }
    RAILGAUGE_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                               ExpandHostRange(item.substr(0, equals), what));
    if (names.size() > 1 && !address.empty()) {
      return Fail(HostError("read the hosts", what, item + " gives several hosts one address"));
    }
    for (const std::string& name : names) {
      RAILGAUGE_RETURN_IF_ERROR(hosts.Add({name, address}, what));
    }
  }
  return hosts.Take(what);
}

Result<std::vector<FleetNode>> ParseHostFile(std::string_view content, const std::string& path) {
  Hosts hosts;
  std::istringstream lines{std::string(content)};
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name, second;
    if (!(words >> name)) continue;
    FleetNode node{WithoutSlots(name), ""};
    // "slots=8", "max_slots=8" are mpirun's.
    if (words >> second && second.find('=') == std::string::npos) node.address = second;
    RAILGAUGE_RETURN_IF_ERROR(hosts.Add(std::move(node), fmt::format("{}:{}", path, number)));
  }
  return hosts.Take(path);
}

bool HasHostRange(std::string_view text) {
  return text.find('[') != std::string_view::npos && text.find('=') == std::string_view::npos;
}

void TakeSlurmAddresses(std::string_view scontrol, std::vector<FleetNode>& nodes) {
  std::map<std::string, std::string> addresses;
  std::istringstream records{std::string(scontrol)};
  for (std::string line; std::getline(records, line);) {
    std::istringstream words(line);
    std::string name, address;
    for (std::string word; words >> word;) {
      if (word.starts_with("NodeName=")) name = word.substr(9);
      if (word.starts_with("NodeAddr=")) address = word.substr(9);
    }
    if (!name.empty() && IsAddress(address)) addresses[name] = address;
  }
  for (FleetNode& node : nodes) {
    const auto known = addresses.find(node.name);
    if (known != addresses.end() && node.address == node.name) node.address = known->second;
  }
}

}  // namespace railgauge
