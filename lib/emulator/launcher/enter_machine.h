// EnterMachine: makes this process, and what it executes, one of an emulated machine: its files,
// its limits, its name, its preload library.
#ifndef RAILGAUGE_LIB_EMULATOR_LAUNCHER_ENTER_MACHINE_H_
#define RAILGAUGE_LIB_EMULATOR_LAUNCHER_ENTER_MACHINE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/result.h"
#include "lib/emulator/launcher/private_machine.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

struct MachineOptions {
  PrivateMachineOptions isolation;
  std::string device_mode;  // octal, of the uverbs nodes; empty: the machine's, or the default
  // Of one of several machines: the fabric's name and which one it is.
  struct Node {
    std::string fabric;
    uint32_t index = 0;
  };
  std::optional<Node> node;
};

// `argv0`: the launcher's, by which its libraries are found. One thread only; after a failure,
// exit.
Status EnterMachine(const EmulatedMachine& machine, const MachineOptions& options,
                    const std::string& argv0);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_LAUNCHER_ENTER_MACHINE_H_
