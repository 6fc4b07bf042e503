#include "lib/scenario/load.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "fmt/format.h"
#include "lib/base/nearest.h"
#include "lib/scenario/fault/fault.h"
#include "lib/scenario/ids.h"
#include "lib/scenario/instance_facts.h"
#include "lib/scenario/location.h"
#include "lib/scenario/numa_nodes.h"
#include "lib/scenario/paths.h"
#include "lib/scenario/pci_functions.h"
#include "lib/scenario/pci_tree.h"
#include "lib/scenario/scale.h"
#include "lib/scenario/spec.h"
#include "lib/scenario/timing.h"
#include "lib/scenario/yaml_document.h"
#include "lib/scenario/yaml_reader.h"

namespace railgauge {
namespace {

constexpr std::string_view kExtension = ".yaml";

// A word that must be one of a few.
std::string ReadWord(const YamlMap& map, std::string_view key,
                     const std::vector<std::string>& known, YamlErrors* errors) {
  std::string word = map.Text(key);
  if (errors->ok() && std::find(known.begin(), known.end(), word) == known.end()) {
    errors->AddWrong(map.Required(key), key, fmt::format("{}", fmt::join(known, " or ")));
  }
  return word;
}

// "41:d4f": implementer and part, as the registers of a CPU and /proc/cpuinfo have them.
std::string ReadArmCpu(const YamlNode* node, YamlErrors* errors) {
  if (node == nullptr) return "";
  const std::string& text = node->scalar;
  constexpr std::string_view kHex = "0123456789abcdef";
  const bool digits = text.size() == 6 && text[2] == ':' &&
                      (text.substr(0, 2) + text.substr(3)).find_first_not_of(kHex) == text.npos;
  if (!digits) {
    errors->AddWrong(*node, "arm_cpu", "implementer and part in hexadecimal, like \"41:d4f\"");
  }
  return text;
}

EmulatedMachine ReadMachine(const YamlNode& root, YamlErrors* errors) {
  EmulatedMachine machine;
  const YamlMap map(root, "the scenario", {"schema",       "instance_type",   "sources",
                                           "ids",          "facts",           "cpu_model",
                                           "arm_cpu",      "cpu_mhz",         "threads_per_core",
                                           "caches",       "numa_nodes",      "p2p_provider",
                                           "base_latency", "timing",          "functions",
                                           "trees",        "host_bridges",    "shared_capacities",
                                           "paths",        "interconnect_ids"},
                    errors);
  map.Uint("schema", 1, 1);
  machine.instance_type = map.Text("instance_type");
  map.Text("sources");
  // No census of a real machine is published: whoever adds one adds the word for it here.
  ReadWord(map, "ids", {"synthetic"}, errors);
  // Of the real machine, and so only checked: the emulated one is what the rest says.
  if (const YamlNode* facts = map.Optional("facts")) {
    ReadInstanceFacts(*facts, machine.instance_type, errors);
  }
  machine.cpu_model = map.Text("cpu_model");
  machine.arm_cpu = ReadArmCpu(map.Optional("arm_cpu"), errors);
  machine.cpu_mhz = map.Uint("cpu_mhz", 1, 100'000);
  machine.threads_per_core = map.Uint("threads_per_core", 1, 8);
  machine.caches = ReadCaches(map.Required("caches"), errors);
  machine.p2p_provider = ReadWord(map, "p2p_provider", {"NVIDIA", "NEURON", "none"}, errors);
  machine.base_latency = map.Duration("base_latency");
  machine.timing = ReadTiming(map.Optional("timing"), &machine.seed, errors);
  machine.numa_nodes = ReadNumaNodes(map.Required("numa_nodes"), machine.threads_per_core, errors);
  const auto functions = ReadPciFunctions(map.Required("functions"), errors);
  if (!errors->ok()) return machine;
  ReadPciTrees(map.Required("host_bridges"), map.Optional("trees"), functions, &machine, errors);
  if (!errors->ok()) return machine;
  const PciLocations locations(machine);
  ReadPaths(map.Required("shared_capacities"), map.Required("paths"), locations, &machine, errors);
  if (!errors->ok()) return machine;
  ReadInterconnectIds(map.Required("interconnect_ids"), locations, &machine, errors);
  return machine;
}

Result<EmulatedMachine> MachineOf(const YamlNode& root, const std::string& file) {
  YamlErrors errors(file);
  EmulatedMachine machine = ReadMachine(root, &errors);
  if (!errors.ok()) return Fail(errors.first());
  machine.spec = file;
  machine.source_file = file;
  return machine;
}

Error UnknownType(const std::string& type, const std::vector<std::string>& known) {
  // "p6" is the beginning of three; else it is a slip of the pen.
  std::vector<std::string> nearest;
  for (const std::string& candidate : known) {
    if (!type.empty() && candidate.starts_with(type)) nearest.push_back(candidate);
  }
  if (nearest.empty()) {
    if (auto one = Nearest(type, known)) nearest.push_back(*std::move(one));
  }
  std::string advice = fmt::format("Known are {}", fmt::join(known, ", "));
  if (!nearest.empty()) {
    advice = fmt::format("Write '{}'. {}", fmt::join(nearest, "' or '"), advice);
  }
  return MakeError("read scenario", "",
                   fmt::format("there is no instance type '{}'", Printable(type)),
                   advice + "; or give the path of a .yaml file");
}

Result<EmulatedMachine> LoadBase(const std::string& base, const std::string& scenarios_dir) {
  const bool is_path = base.find('/') != std::string::npos || base.ends_with(kExtension);
  if (is_path) return LoadMachine(base);

  RAILGAUGE_ASSIGN_OR_RETURN(const auto types, ListInstanceTypes(scenarios_dir));
  if (std::find(types.begin(), types.end(), base) == types.end()) {
    return Fail(UnknownType(base, types));
  }
  const std::string path = fmt::format("{}/instances/{}{}", scenarios_dir, base, kExtension);
  RAILGAUGE_ASSIGN_OR_RETURN(EmulatedMachine machine, LoadMachine(path));
  if (machine.instance_type != base) {
    return Fail(MakeError("read scenario", path,
                          fmt::format("it describes {}", Printable(machine.instance_type)),
                          "Name the file after its instance_type"));
  }
  return machine;
}

}  // namespace

Result<EmulatedMachine> LoadMachineFromText(std::string_view yaml, const std::string& file) {
  RAILGAUGE_ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(yaml, file));
  return MachineOf(root, file);
}

Result<EmulatedMachine> LoadMachine(const std::string& yaml_path) {
  RAILGAUGE_ASSIGN_OR_RETURN(const YamlNode root, ReadYamlFile(yaml_path));
  return MachineOf(root, yaml_path);
}

Result<std::vector<std::string>> ListInstanceTypes(const std::string& scenarios_dir) {
  const std::string directory = scenarios_dir + "/instances";
  std::vector<std::string> types;
  std::error_code error;
  std::filesystem::directory_iterator entry(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::filesystem::path& path = entry->path();
    if (path.extension() == kExtension) types.push_back(path.stem().string());
  }
  if (error) {
    return Fail(ErrnoError(error.value(), "list scenarios", directory,
                           "Give the directory that holds the project's scenarios"));
  }
  std::sort(types.begin(), types.end());
  return types;
}

Result<EmulatedMachine> LoadSpec(std::string_view spec, const std::string& scenarios_dir) {
  RAILGAUGE_ASSIGN_OR_RETURN(const MachineSpec parsed, ParseMachineSpec(spec));
  RAILGAUGE_ASSIGN_OR_RETURN(EmulatedMachine machine, LoadBase(parsed.base, scenarios_dir));
  // Before the faults: the rates that they name are the scaled machine's.
  ScaleDown(parsed.divisor, &machine);
  machine.spec = std::string(spec);
  if (parsed.faults.empty()) return machine;
  RAILGAUGE_ASSIGN_OR_RETURN(const auto faults, LoadFaults(scenarios_dir));
  RAILGAUGE_RETURN_IF_ERROR(ApplyFaults(parsed.faults, faults, &machine));
  return machine;
}

}  // namespace railgauge
