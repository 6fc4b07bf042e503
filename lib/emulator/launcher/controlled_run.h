// RunUnderControl: a command on an emulated machine whose faults can be switched meanwhile.
#ifndef RAILGAUGE_LIB_EMULATOR_LAUNCHER_CONTROLLED_RUN_H_
#define RAILGAUGE_LIB_EMULATOR_LAUNCHER_CONTROLLED_RUN_H_

#include <functional>
#include <string>

#include "lib/base/result.h"
#include "lib/emulator/launcher/control.h"
#include "lib/emulator/launcher/enter_machine.h"
#include "lib/emulator/launcher/fault_switches.h"

namespace railgauge {

// Enters the machine and stays to answer on `control` while `execute` runs in a child. Returns only
// on failure.
Error RunUnderControl(const ControlSocket& control, FaultSwitches switches,
                      const MachineOptions& options, const std::string& argv0,
                      const std::function<int()>& execute);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_LAUNCHER_CONTROLLED_RUN_H_
