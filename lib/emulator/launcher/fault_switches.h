// FaultSwitches: which faults an emulated machine has, while it runs.
//
// Commands, one line each, and one line back:
//   slow-nic:rdmap79s0=0.6      this fault from now on, in place of an earlier one of the same name
//   and
//                               target; what it can start later counts from now
//   clear:slow-nic:rdmap79s0    without it again; clear:all, without any
//   status                      all that hold
// What a running system cannot see changing is refused: devices, PCI, NUMA nodes, ids, limits.
#ifndef RAILGAUGE_LIB_EMULATOR_LAUNCHER_FAULT_SWITCHES_H_
#define RAILGAUGE_LIB_EMULATOR_LAUNCHER_FAULT_SWITCHES_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/scenario/emulated_machine.h"
#include "lib/scenario/fault/fault.h"
#include "lib/scenario/spec.h"

namespace railgauge {

class FaultSwitches {
 public:
  // The machine that `spec` names, made so that paths can become slow later.
  static Result<FaultSwitches> Create(std::string_view spec, const std::string& scenarios_dir);

  // As it is now.
  const EmulatedMachine& machine() const { return machine_; }

  struct Answer {
    std::string line;  // "ok: …" or what is wrong
    bool ok = false;
    bool changed = false;  // the machine did
  };
  Answer Tell(const std::string& command);

 private:
  Result<EmulatedMachine> MachineWith(const std::vector<FaultSpec>& faults) const;
  Answer Switch(std::vector<FaultSpec> faults);
  std::string Status() const;

  EmulatedMachine healthy_;
  std::vector<FaultDefinition> definitions_;
  std::vector<FaultSpec> faults_;  // that hold
  EmulatedMachine machine_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_LAUNCHER_FAULT_SWITCHES_H_
