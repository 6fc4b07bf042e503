// EnterSurroundings: the limits and variables that a process on the emulated machine starts with.
#ifndef RAILGAUGE_LIB_EMULATOR_LAUNCHER_SURROUNDINGS_H_
#define RAILGAUGE_LIB_EMULATOR_LAUNCHER_SURROUNDINGS_H_

#include "lib/base/result.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

// Sets CUDA_VISIBLE_DEVICES, and RLIMIT_MEMLOCK without the capability that would make it void.
// Both hold for what this process executes. What the machine leaves open stays as it is.
Status EnterSurroundings(const EmulatedSurroundings& surroundings);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_LAUNCHER_SURROUNDINGS_H_
