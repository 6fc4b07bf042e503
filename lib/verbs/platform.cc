#include "lib/verbs/platform.h"

namespace railgauge {

std::string PlatformOf(std::string_view firmware) {
  return firmware.starts_with("emulated-") ? "emulated" : "hardware";
}

std::string PlatformOfAll(std::span<const std::string> firmwares) {
  std::string platform = "unknown";
  for (const std::string& firmware : firmwares) {
    if (firmware.empty()) continue;
    platform = PlatformOf(firmware);
    if (platform == "emulated") break;
  }
  return platform;
}

}  // namespace railgauge
