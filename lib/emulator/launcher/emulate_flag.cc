#include "lib/emulator/launcher/emulate_flag.h"

#include <string_view>

namespace railgauge {

Result<EmulateFlag> TakeEmulateFlag(const std::vector<std::string>& arguments) {
  constexpr std::string_view kFlag = "--emulate";
  constexpr std::string_view kFlagWithValue = "--emulate=";
  EmulateFlag result;
  bool more_flags = true;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (i == 0 || !more_flags || !argument.starts_with(kFlag) ||
        (argument.size() > kFlag.size() && !argument.starts_with(kFlagWithValue))) {
      if (i != 0 && argument == "--") more_flags = false;
      result.remaining.push_back(argument);
      continue;
    }
    if (argument.size() > kFlag.size()) {
      result.spec = argument.substr(kFlagWithValue.size());
    } else if (i + 1 < arguments.size()) {
      result.spec = arguments[++i];
    } else {
      result.spec = "";
    }
    // What begins with a dash is the next flag, and no machine.
    if (result.spec->empty() || result.spec->front() == '-') {
      return Fail(MakeError("read the command line", std::string(kFlag), "it names no machine",
                            "Write it like --emulate=p5.48xlarge, or --emulate=./FILE.yaml"));
    }
  }
  return result;
}

}  // namespace railgauge
