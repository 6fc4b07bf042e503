#include "lib/report/field.h"

#include <charconv>
#include <cmath>

#include "fmt/core.h"

namespace railgauge {
namespace {

template <typename T, typename ToText>
std::string Join(const std::vector<T>& values, ToText to_text) {
  std::string joined;
  for (const T& value : values) {
    if (&value != values.data()) joined += ';';
    joined += to_text(value);
  }
  return joined;
}

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(';');
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <typename T>
bool Assign(const std::optional<T>& parsed, T& value) {
  if (parsed) value = *parsed;
  return parsed.has_value();
}

template <typename T>
bool ParseNumber(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end;
}

}  // namespace

std::string PrintField(const std::string& text) { return text; }
std::string PrintField(double number) {
  return std::isfinite(number) ? fmt::format("{}", number) : std::string();
}
std::string PrintField(Bytes bytes) { return PrintField(bytes.count); }
std::string PrintField(BytesPerSecond rate) { return PrintField(rate.value); }
std::string PrintField(Nanoseconds duration) { return fmt::format("{}", duration.count()); }
std::string PrintField(const PciAddress& address) {
  return address == PciAddress{} ? std::string() : address.ToString();
}
std::string PrintField(const MemoryPlace& place) { return place.ToString(); }
std::string PrintField(const std::vector<MemoryPlace>& places) {
  return Join(places, [](const MemoryPlace& place) { return place.ToString(); });
}

bool ParseField(std::string_view text, std::string& value) {
  value = text;
  return true;
}
bool ParseField(std::string_view text, bool& value) {
  value = text == "true";
  return value || text == "false";
}
bool ParseField(std::string_view text, uint16_t& value) { return ParseNumber(text, value); }
bool ParseField(std::string_view text, uint32_t& value) { return ParseNumber(text, value); }
bool ParseField(std::string_view text, uint64_t& value) { return ParseNumber(text, value); }
bool ParseField(std::string_view text, double& value) {
  return ParseNumber(text, value) && std::isfinite(value);
}
bool ParseField(std::string_view text, Bytes& value) { return ParseField(text, value.count); }
bool ParseField(std::string_view text, BytesPerSecond& value) {
  return ParseField(text, value.value) && value.value >= 0;
}
bool ParseField(std::string_view text, Nanoseconds& value) {
  Nanoseconds::rep count = 0;
  if (!ParseNumber(text, count)) return false;
  value = Nanoseconds(count);
  return true;
}
bool ParseField(std::string_view text, PciAddress& value) {
  value = {};
  return text.empty() || Assign(PciAddress::Parse(text), value);
}
bool ParseField(std::string_view text, MemoryPlace& value) {
  return Assign(MemoryPlace::Parse(text), value);
}
bool ParseField(std::string_view text, std::vector<MemoryPlace>& value) {
  value.clear();
  if (text.empty()) return true;
  for (const std::string_view part : Split(text)) {
    if (!ParseField(part, value.emplace_back())) return false;
  }
  return true;
}
bool ParseField(std::string_view text, RegistrationWay& value) {
  return Assign(ParseRegistrationWay(text), value);
}
bool ParseField(std::string_view text, Operation& value) {
  return Assign(ParseOperation(text), value);
}
bool ParseField(std::string_view text, Direction& value) {
  return Assign(ParseDirection(text), value);
}
bool ParseField(std::string_view text, IcField& value) { return Assign(ParseIcField(text), value); }
bool ParseField(std::string_view text, Relation& value) {
  return Assign(ParseRelation(text), value);
}
bool ParseField(std::string_view text, CensusStatus& value) {
  return Assign(ParseCensusStatus(text), value);
}
bool ParseField(std::string_view text, SampleStatus& value) {
  return Assign(ParseSampleStatus(text), value);
}
bool ParseField(std::string_view text, SkipCause& value) {
  return Assign(ParseSkipCause(text), value);
}
bool ParseField(std::string_view text, Verdict& value) { return Assign(ParseVerdict(text), value); }
bool ParseField(std::string_view text, Sharing& value) { return Assign(ParseSharing(text), value); }
bool ParseField(std::string_view text, Severity& value) {
  return Assign(ParseSeverity(text), value);
}

std::string PrintAddresses(const std::vector<NicKey>& nics) {
  return Join(nics, [](const NicKey& nic) { return nic.address.ToString(); });
}

std::string PrintNames(const std::vector<NicKey>& nics) {
  return Join(nics, [](const NicKey& nic) { return nic.name; });
}

bool ParseAddresses(std::string_view text, std::vector<NicKey>& nics) {
  nics.clear();
  if (text.empty()) return true;
  for (const std::string_view part : Split(text)) {
    if (part.empty() || !ParseField(part, nics.emplace_back().address)) return false;
  }
  return true;
}

bool ParseNames(std::string_view text, std::vector<NicKey>& nics) {
  if (nics.empty()) return text.empty();
  const std::vector<std::string_view> names = Split(text);
  if (names.size() != nics.size()) return false;
  for (size_t i = 0; i < names.size(); ++i) nics[i].name = names[i];
  return true;
}

}  // namespace railgauge
