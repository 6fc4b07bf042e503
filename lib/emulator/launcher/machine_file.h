// The emulated machine, resolved, in a file of the emulated /sys: how the launcher tells every
// process on the machine what it is.
//
// Not the scenario once more: its folder may be out of sight, and reading YAML is slow and brings a
// library into every process. The format is the struct, field by field, for the two ends of one
// build.
#ifndef RAILGAUGE_LIB_EMULATOR_LAUNCHER_MACHINE_FILE_H_
#define RAILGAUGE_LIB_EMULATOR_LAUNCHER_MACHINE_FILE_H_

#include <string>
#include <string_view>

#include "lib/base/result.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

std::string SerializeMachine(const EmulatedMachine& machine);

// `file` is for the error when the content is not what SerializeMachine writes.
Result<EmulatedMachine> ParseMachine(std::string_view content, const std::string& file);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_LAUNCHER_MACHINE_FILE_H_
