// How each type of value stands in a CSV field, and back.
//
// Numbers have '.' and no grouping whatever the locale, and read back as the same number; an empty
// optional, and a number that is not finite, is an empty field: unknown. Members of a list are
// joined by ';'.
#ifndef RAILGAUGE_LIB_REPORT_FIELD_H_
#define RAILGAUGE_LIB_REPORT_FIELD_H_

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/units.h"
#include "lib/record/load_group.h"
#include "lib/record/place.h"
#include "lib/record/records.h"

namespace railgauge {

std::string PrintField(const std::string& text);
std::string PrintField(double number);
std::string PrintField(Bytes bytes);
std::string PrintField(BytesPerSecond rate);
std::string PrintField(Nanoseconds duration);  // a whole number of nanoseconds
// No device sits at 0000:00:00.0 (that is a host bridge), so a zero address is one never set:
// empty.
std::string PrintField(const PciAddress& address);
std::string PrintField(const MemoryPlace& place);
std::string PrintField(const std::vector<MemoryPlace>& places);

// "true" or "false". A template, so that nothing turns into a bool on the way here.
template <std::same_as<bool> T>
std::string PrintField(T flag) {
  return flag ? "true" : "false";
}
template <std::unsigned_integral T>
requires(!std::same_as<T, bool>) std::string PrintField(T number) { return std::to_string(number); }
template <typename Enum>
requires std::is_enum_v<Enum> std::string PrintField(Enum value) {
  return std::string(ToString(value));
}
template <typename T>
std::string PrintField(const std::optional<T>& value) {
  return value ? PrintField(*value) : std::string();
}

// Each sets `value` and returns true, or returns false when `text` is no such value.
bool ParseField(std::string_view text, std::string& value);
bool ParseField(std::string_view text, bool& value);
bool ParseField(std::string_view text, uint16_t& value);
bool ParseField(std::string_view text, uint32_t& value);
bool ParseField(std::string_view text, uint64_t& value);
bool ParseField(std::string_view text, double& value);
bool ParseField(std::string_view text, Bytes& value);
bool ParseField(std::string_view text, BytesPerSecond& value);
bool ParseField(std::string_view text, Nanoseconds& value);
bool ParseField(std::string_view text, PciAddress& value);
bool ParseField(std::string_view text, MemoryPlace& value);
bool ParseField(std::string_view text, std::vector<MemoryPlace>& value);
bool ParseField(std::string_view text, RegistrationWay& value);
bool ParseField(std::string_view text, Operation& value);
bool ParseField(std::string_view text, Direction& value);
bool ParseField(std::string_view text, IcField& value);
bool ParseField(std::string_view text, Relation& value);
bool ParseField(std::string_view text, CensusStatus& value);
bool ParseField(std::string_view text, SampleStatus& value);
bool ParseField(std::string_view text, SkipCause& value);
bool ParseField(std::string_view text, Verdict& value);
bool ParseField(std::string_view text, Sharing& value);
bool ParseField(std::string_view text, Severity& value);

template <typename T>
bool ParseField(std::string_view text, std::optional<T>& value) {
  value.reset();
  return text.empty() || ParseField(text, value.emplace());
}

// A list of NICs takes two fields, addresses and names; the addresses are read first, and the names
// must then be as many.
std::string PrintAddresses(const std::vector<NicKey>& nics);
std::string PrintNames(const std::vector<NicKey>& nics);
bool ParseAddresses(std::string_view text, std::vector<NicKey>& nics);
bool ParseNames(std::string_view text, std::vector<NicKey>& nics);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_FIELD_H_
