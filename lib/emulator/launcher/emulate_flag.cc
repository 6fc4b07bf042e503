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
    if (result.spec->empty()) {
      return Fail(MakeError("parse", std::string(kFlag), "it needs a machine",
                            "Give for example --emulate=p5.48xlarge"));
    }
  }
  return result;
}

}  // namespace railgauge
