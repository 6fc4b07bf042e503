#include "lib/report/run_state.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "fmt/core.h"
#include "lib/base/quoted.h"
#include "lib/report/bounded_json.h"
#include "lib/report/schema.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

constexpr char kAsWritten[] = "Give the run directory as it was written, or remove the file";

Error NoRunJson(const std::string& path, std::string reason) {
  return MakeError("read", path, std::move(reason), kAsWritten);
}

// The member `name`, or null where there is none, or `object` is none.
const Json& Member(const Json& object, const char* name) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

std::string Text(const Json& object, const char* name) {
  const Json& value = Member(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

// An Error where the member is there and neither a text nor null.
Status CheckText(const Json& object, const char* name, const std::string& path) {
  const Json& value = Member(object, name);
  if (value.is_null() || value.is_string()) return {};
  return Fail(
      NoRunJson(path, fmt::format("its {} is {} and no text", name, Shortened(value.dump()))));
}

std::optional<PciAddress> Address(const Json& value) {
  return value.is_string() ? PciAddress::Parse(value.get_ref<const std::string&>()) : std::nullopt;
}

// By the ordinal that each GPU of the machine has. Empty where one is missing: PCI may not show it.
std::vector<PciAddress> OrderOfGpus(const Json& machine) {
  std::map<uint64_t, PciAddress> by_ordinal;
  const Json& gpus = Member(machine, "gpus");
  if (!gpus.is_array()) return {};
  for (const Json& gpu : gpus) {
    const auto address = Address(Member(gpu, "pci_address"));
    const Json& ordinal = Member(Member(gpu, "cuda"), "ordinal");
    if (address && ordinal.is_number_unsigned()) by_ordinal[ordinal.get<uint64_t>()] = *address;
  }
  std::vector<PciAddress> order;
  for (const auto& [ordinal, address] : by_ordinal) {
    if (ordinal != order.size()) return {};
    order.push_back(address);
  }
  return order;
}

Result<std::vector<PciAddress>> NicsOf(const Json& machine, const std::string& path) {
  const Json& nics = Member(machine, "nics");
  std::vector<PciAddress> addresses;
  if (nics.is_null()) return addresses;
  const auto fail = [&](const std::string& what) {
    return Fail(NoRunJson(path, "machine.nics " + what));
  };
  if (!nics.is_array()) return fail("is no list");
  for (const Json& nic : nics) {
    const auto address = Address(Member(nic, "pci_address"));
    if (!address) return fail("has a NIC without a PCI address");
    if (std::find(addresses.begin(), addresses.end(), *address) != addresses.end()) {
      return fail("has " + address->ToString() + " twice");
    }
    addresses.push_back(*address);
  }
  return addresses;
}

// Of the last such flag, which wins.
std::string OutputOf(const Json& command_line) {
  constexpr std::string_view kFlag = "--output=";
  std::string output;
  if (!command_line.is_array()) return output;
  for (const Json& word : command_line) {
    if (!word.is_string()) continue;
    const std::string& text = word.get_ref<const std::string&>();
    if (text.starts_with(kFlag)) output = text.substr(kFlag.size());
  }
  return output;
}

bool HasNicsFlag(const Json& command_line) {
  for (const Json& word : command_line) {
    if (!word.is_string()) continue;
    const std::string& text = word.get_ref<const std::string&>();
    if (text == "--nics" || text.starts_with("--nics=")) return true;
  }
  return false;
}

}  // namespace

Result<RunState> ParseRunState(std::string_view content, const std::string& path) {
  RAILGAUGE_ASSIGN_OR_RETURN(const Json root, ParseBoundedJson<Json>(content, path, kAsWritten));
  if (!root.is_object()) return Fail(NoRunJson(path, "it is no JSON object"));
  const Json& run_id = Member(root, "run_id");
  if (!run_id.is_string()) return Fail(NoRunJson(path, "it has no run_id, so it is no run.json"));
  const Json& version = Member(root, "schema_version");
  if (!version.is_null() && version != kSchemaVersion) {
    return Fail(NoRunJson(path, fmt::format("its schema_version is {} and this program reads {}",
                                            Shortened(version.dump()), kSchemaVersion)));
  }
  RunState state;
  const Json& machine = Member(root, "machine");
  for (const char* name : {"hostname", "instance_id", "instance_type"}) {
    RAILGAUGE_RETURN_IF_ERROR(CheckText(machine, name, path));
  }
  for (const char* name : {"platform", "command"}) {
    RAILGAUGE_RETURN_IF_ERROR(CheckText(root, name, path));
  }
  state.run = {run_id.get<std::string>(), Text(machine, "hostname"), Text(machine, "instance_id"),
               Text(machine, "instance_type"), Text(root, "platform")};
  state.command = Text(root, "command");
  state.peer = Text(Member(root, "peer"), "hostname");
  const Json& command_line = Member(root, "command_line");
  state.output = OutputOf(command_line);
  state.selected_nics = HasNicsFlag(command_line);
  // A recording that somebody cut down to what matters says nothing.
  state.ended = !root.contains("end") || Member(root, "end").is_string();
  if (!root.contains("cuda_order")) state.cuda_order = OrderOfGpus(machine);
  RAILGAUGE_ASSIGN_OR_RETURN(state.machine_nics, NicsOf(machine, path));
  if (command_line.is_array()) state.nics = state.machine_nics;
  const Json& queue_pairs = Member(root, "queue_pairs");
  if (queue_pairs.is_number_unsigned()) state.queue_pairs = queue_pairs.get<uint32_t>();
  const Json& order = Member(root, "cuda_order");
  if (order.is_null()) return state;
  if (!order.is_array()) return Fail(NoRunJson(path, "cuda_order is no list of PCI addresses"));
  for (const Json& entry : order) {
    const auto address = Address(entry);
    if (!address) return Fail(NoRunJson(path, "cuda_order is no list of PCI addresses"));
    state.cuda_order.push_back(*address);
  }
  return state;
}

Status CheckIsOfMachine(const RunState& state, const std::vector<PciAddress>& nics,
                        const std::string& path, const std::string& source, bool is_own) {
  if (state.machine_nics.empty()) return {};
  const auto first_missing = [](const std::vector<PciAddress>& of,
                                const std::vector<PciAddress>& in) -> std::optional<PciAddress> {
    for (const PciAddress& address : of) {
      if (std::find(in.begin(), in.end(), address) == in.end()) return address;
    }
    return std::nullopt;
  };
  if (const auto extra = first_missing(state.machine_nics, nics)) {
    return Fail(NoRunJson(path, fmt::format("its machine.nics has {}, which {} does not show",
                                            extra->ToString(), source)));
  }
  if (const auto lost = first_missing(nics, state.machine_nics); lost && is_own) {
    return Fail(NoRunJson(
        path, fmt::format("its machine.nics lacks {}, which {} shows", lost->ToString(), source)));
  }
  return {};
}

Status CheckIsOfRun(const RunState& state, const RunIdentity& run, const std::string& path) {
  const auto name = [](const RunIdentity& of) {
    return fmt::format("run '{}'{}", Shortened(of.run_id),
                       of.host.empty() ? "" : " of host '" + Shortened(of.host) + "'");
  };
  const bool same_host = state.run.host.empty() || run.host.empty() || state.run.host == run.host;
  if (state.run.run_id != run.run_id || !same_host) {
    return Fail(NoRunJson(path, fmt::format("it is of {}, and the rows beside it are of {}",
                                            name(state.run), name(run))));
  }
  const std::pair<const char*, std::string RunIdentity::*> facts[] = {
      {"instance_type", &RunIdentity::instance_type}, {"platform", &RunIdentity::platform}};
  for (const auto& [what, fact] : facts) {
    if ((state.run.*fact).empty() || state.run.*fact == run.*fact) continue;
    return Fail(
        NoRunJson(path, fmt::format("its {} is '{}', and that of the rows beside it '{}'", what,
                                    Shortened(state.run.*fact), Shortened(run.*fact))));
  }
  return {};
}

}  // namespace railgauge
