#include "lib/topology/sysfs_facts.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "fmt/core.h"
#include "lib/base/file.h"
#include "lib/base/unique_fd.h"
#include "lib/topology/pci_config.h"

namespace railgauge {
namespace {

// "100 Gb/sec (4X EDR)".
std::optional<BytesPerSecond> ParsePortRate(const std::string& text) {
  double gigabits = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, gigabits);
  if (error != std::errc() || !(gigabits > 0)) return std::nullopt;
  if (!std::string_view(end, static_cast<size_t>(last - end)).starts_with(" Gb/sec")) {
    return std::nullopt;
  }
  return BytesPerSecond{gigabits * 1e9 / 8};
}

AcsRedirect ReadAcsRedirect(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return AcsRedirectOf([&](size_t at) -> std::optional<uint16_t> {
    std::array<uint8_t, 2> bytes{};
    if (::pread(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(at)) != 2) {
      return std::nullopt;
    }
    return static_cast<uint16_t>(bytes[0] | (bytes[1] << 8));
  });
}

}  // namespace

void ReadFactsFromSysfs(const std::string& sysfs_root, Machine& machine) {
  for (Nic& nic : machine.nics) {
    const std::string device = fmt::format("{}/class/infiniband/{}", sysfs_root, nic.name);
    if (const auto rate = ReadAttribute(device + "/ports/1/rate"); rate && !nic.name.empty()) {
      nic.port_rate = ParsePortRate(*rate);
    }
    const auto provider = ReadAttribute(
        fmt::format("{}/bus/pci/devices/{}/p2p", sysfs_root, nic.position.address.ToString()));
    if (provider) nic.p2p_provider = *provider;
  }
  for (PciBridge& bridge : machine.bridges) {
    bridge.acs_redirect = ReadAcsRedirect(
        fmt::format("{}/bus/pci/devices/{}/config", sysfs_root, bridge.address.ToString()));
  }
}

}  // namespace railgauge
