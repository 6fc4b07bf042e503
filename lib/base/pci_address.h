// PciAddress: domain:bus:device.function, the key by which railgauge names every NIC and GPU.
//
// Names prove nothing (udev policies differ, CUDA ordinals are permuted by CUDA_VISIBLE_DEVICES),
// so everything is keyed by the full address, always with its domain: GB200 has more than one.
#ifndef RAILGAUGE_LIB_BASE_PCI_ADDRESS_H_
#define RAILGAUGE_LIB_BASE_PCI_ADDRESS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace railgauge {

struct PciAddress {
  uint32_t domain = 0;  // 16 bits by the PCI firmware spec; Linux allows 32 (VMD and hypervisors)
  uint8_t bus = 0;
  uint8_t device = 0;    // 0..31
  uint8_t function = 0;  // 0..7

  // Parses "0000:c6:00.0" and nothing else: the domain is required, hexadecimal of either case.
  static std::optional<PciAddress> Parse(std::string_view text);

  // As above and also without a domain ("c6:00.0", as lspci prints it), which then is 0.
  static std::optional<PciAddress> ParseLenient(std::string_view text);

  // "0000:c6:00.0", lower case, as sysfs names it.
  std::string ToString() const;

  friend auto operator<=>(const PciAddress&, const PciAddress&) = default;
};

}  // namespace railgauge

template <>
struct std::hash<railgauge::PciAddress> {
  size_t operator()(const railgauge::PciAddress& a) const noexcept {
    return std::hash<uint64_t>{}((uint64_t{a.domain} << 16) | (uint64_t{a.bus} << 8) |
                                 (uint64_t{a.device} << 3) | a.function);
  }
};

#endif  // RAILGAUGE_LIB_BASE_PCI_ADDRESS_H_
