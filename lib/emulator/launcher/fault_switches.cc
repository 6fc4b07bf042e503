#include "lib/emulator/launcher/fault_switches.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "fmt/core.h"
#include "lib/emulator/launcher/machine_file.h"
#include "lib/scenario/load.h"

namespace railgauge {
namespace {

constexpr std::string_view kClear = "clear:";
constexpr std::string_view kAll = "all";

// Every path gets a resource of its own, so far without a limit, since the model takes no new ones
// while it runs. Named as the edit scale_paths names them.
void AddPathResources(EmulatedMachine* machine) {
  for (auto& [pair, directions] : machine->paths) {
    for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
      std::string name = fmt::format("path:{}:{}:{}", pair.first.ToString(), pair.second.ToString(),
                                     ToString(direction));
      const bool has = std::any_of(machine->resources.begin(), machine->resources.end(),
                                   [&](const EmulatedResource& held) { return held.name == name; });
      if (has) continue;
      const auto index = static_cast<uint32_t>(machine->resources.size());
      machine->resources.push_back({std::move(name), {std::numeric_limits<double>::infinity()}});
      directions[static_cast<size_t>(direction)].resources.push_back(index);
    }
  }
}

// What cannot change while the machine runs.
std::string FixedPart(EmulatedMachine machine) {
  machine.spec.clear();
  for (EmulatedResource& resource : machine.resources) resource.capacity = {};
  for (auto& [pair, directions] : machine.paths) {
    for (EmulatedPath& path : directions) path.capacity = {};
  }
  for (EmulatedNic& nic : machine.nics) {
    nic.line_rate = {};
    std::erase_if(nic.faults, [](const EmulatedNicFault& fault) {
      return fault.kind != EmulatedNicFault::Kind::kRegistrationFails &&
             fault.kind != EmulatedNicFault::Kind::kOpenFails;
    });
  }
  return SerializeMachine(machine);
}

bool IsSame(const FaultSpec& a, const FaultSpec& b) {
  return a.name == b.name && a.target == b.target;
}

}  // namespace

Result<FaultSwitches> FaultSwitches::Create(std::string_view spec,
                                            const std::string& scenarios_dir) {
  FaultSwitches switches;
  RAILGAUGE_ASSIGN_OR_RETURN(MachineSpec parsed, ParseMachineSpec(spec));
  const std::string_view base = spec.substr(0, spec.find(','));
  RAILGAUGE_ASSIGN_OR_RETURN(switches.healthy_, LoadSpec(base, scenarios_dir));
  AddPathResources(&switches.healthy_);
  switches.healthy_.spec = spec;
  RAILGAUGE_ASSIGN_OR_RETURN(switches.definitions_, LoadFaults(scenarios_dir));
  switches.faults_ = std::move(parsed.faults);
  RAILGAUGE_ASSIGN_OR_RETURN(switches.machine_, switches.MachineWith(switches.faults_));
  return switches;
}

Result<EmulatedMachine> FaultSwitches::MachineWith(const std::vector<FaultSpec>& faults) const {
  EmulatedMachine machine = healthy_;
  RAILGAUGE_RETURN_IF_ERROR(ApplyFaults(faults, definitions_, &machine));
  return machine;
}

std::string FaultSwitches::Status() const {
  std::string text;
  for (const FaultSpec& fault : faults_) text += (text.empty() ? "" : ",") + fault.text;
  return text.empty() ? "healthy" : text;
}

FaultSwitches::Answer FaultSwitches::Switch(std::vector<FaultSpec> faults) {
  auto machine = MachineWith(faults);
  if (!machine) return {machine.error().ToString()};
  if (FixedPart(*machine) != FixedPart(machine_)) {
    return {"it changes what a running machine shows; restart the machine with it"};
  }
  machine_ = *std::move(machine);
  faults_ = std::move(faults);
  return {"ok: " + Status(), true, true};
}

FaultSwitches::Answer FaultSwitches::Tell(const std::string& command) {
  if (command == "status") return {"ok: " + Status(), true};
  std::vector<FaultSpec> faults = faults_;
  const bool clear = command.starts_with(kClear);
  const std::string text = clear ? command.substr(kClear.size()) : command;
  if (clear && text == kAll) return Switch({});
  const auto fault = ParseFaultSpec(text);
  if (!fault) return {fault.error().ToString()};
  const size_t erased =
      std::erase_if(faults, [&](const FaultSpec& held) { return IsSame(held, *fault); });
  if (!clear) {
    faults.push_back(*fault);
  } else if (erased == 0) {
    return {fmt::format("'{}' is no fault that the machine has now; {}", Printable(text),
                        faults_.empty() ? "it has none" : "it has " + Status())};
  }
  return Switch(std::move(faults));
}

}  // namespace railgauge
