#include "lib/verbs/platform.h"

namespace railgauge {

std::string PlatformOf(std::string_view firmware) {
  return firmware.starts_with("emulated-") ? "emulated" : "hardware";
}

}  // namespace railgauge
