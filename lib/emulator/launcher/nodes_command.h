// The launcher's ways to several machines: the fabric with node 0, another node, and questions.
#ifndef RAILGAUGE_LIB_EMULATOR_LAUNCHER_NODES_COMMAND_H_
#define RAILGAUGE_LIB_EMULATOR_LAUNCHER_NODES_COMMAND_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/emulator/launcher/control.h"
#include "lib/emulator/launcher/enter_machine.h"
#include "lib/emulator/launcher/fault_switches.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

struct NodesCommand {
  MachineOptions machine;  // `node` is set by the functions below
  std::string argv0;       // the launcher's
  // Executes the command; returns an exit status when that fails.
  std::function<int()> execute;
  // Where faults are switched; a command that begins with "nodeN " is for that node, others for
  // all.
  const ControlSocket* control = nullptr;
};

// Is the fabric of these machines, each as it would be alone, for as long as the command, on node
// 0, runs. Returns only on failure. With `command.control` and `switches`, one for each machine,
// faults are switched.
Error RunFabric(const std::vector<EmulatedMachine>& machines, const NodesCommand& command,
                const std::vector<FaultSwitches>& switches = {});

// Runs the command on another node of the fabric that this process is in. Returns only on failure.
Error RunOnNode(uint32_t node, const NodesCommand& command);

// What there is in the fabric that this process is in, as JSON.
Result<std::string> DescribeFabric();

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_LAUNCHER_NODES_COMMAND_H_
