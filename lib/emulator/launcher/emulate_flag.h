// TakeEmulateFlag: the --emulate flag, taken out of a command line.
#ifndef RAILGAUGE_LIB_EMULATOR_LAUNCHER_EMULATE_FLAG_H_
#define RAILGAUGE_LIB_EMULATOR_LAUNCHER_EMULATE_FLAG_H_

#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace railgauge {

struct EmulateFlag {
  std::optional<std::string> spec;     // of the last flag
  std::vector<std::string> remaining;  // the other arguments, argv[0] first
};

// Fails when a flag has no value.
Result<EmulateFlag> TakeEmulateFlag(const std::vector<std::string>& arguments);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_LAUNCHER_EMULATE_FLAG_H_
