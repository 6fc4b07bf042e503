#include "lib/base/pci_address.h"

#include <charconv>

#include "fmt/core.h"

namespace railgauge {
namespace {

// Takes 1..`digits` hexadecimal digits up to `separator` (or the end when it is 0) off `text`.
std::optional<uint32_t> TakeHex(std::string_view& text, size_t min_digits, size_t max_digits,
                                char separator, uint32_t limit) {
  const size_t end = separator != 0 ? text.find(separator) : text.size();
  if (end == std::string_view::npos || end < min_digits || end > max_digits) return std::nullopt;
  uint32_t value = 0;
  const char* last = text.data() + end;
  const auto [parsed, error] = std::from_chars(text.data(), last, value, 16);
  if (error != std::errc() || parsed != last || value > limit) return std::nullopt;
  text.remove_prefix(separator != 0 ? end + 1 : end);
  return value;
}

}  // namespace

std::optional<PciAddress> PciAddress::Parse(std::string_view text) {
  const auto domain = TakeHex(text, 4, 8, ':', UINT32_MAX);
  if (!domain) return std::nullopt;
  const auto bus = TakeHex(text, 2, 2, ':', 0xff);
  if (!bus) return std::nullopt;
  const auto device = TakeHex(text, 2, 2, '.', 31);
  if (!device) return std::nullopt;
  const auto function = TakeHex(text, 1, 1, 0, 7);
  if (!function) return std::nullopt;
  return PciAddress{*domain, static_cast<uint8_t>(*bus), static_cast<uint8_t>(*device),
                    static_cast<uint8_t>(*function)};
}

std::optional<PciAddress> PciAddress::ParseLenient(std::string_view text) {
  if (text.size() == 7 && text[2] == ':') return Parse("0000:" + std::string(text));
  return Parse(text);
}

std::string PciAddress::ToString() const {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, bus, device, function);
}

}  // namespace railgauge
