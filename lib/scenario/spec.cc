#include "lib/scenario/spec.h"

#include <charconv>
#include <optional>

#include "fmt/core.h"

namespace railgauge {
namespace {

constexpr char kFaultForm[] = "Write a fault as NAME[:TARGET][=VALUE][@START]";

Error SpecError(std::string_view object, std::string reason, std::string advice) {
  return MakeError("read machine", Printable(object), std::move(reason), std::move(advice));
}

bool IsFaultName(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";
  return !name.empty() && name.find_first_not_of(kLetters) == std::string_view::npos;
}

// What stands after the last '/' where that is meant as a divisor: digits ("p5.48xlarge/16"), or
// anything after a file or what looks like a type ("p5.48xlarge/fast") and so is no folder.
std::optional<std::string_view> DivisorOf(std::string_view base) {
  const size_t slash = base.rfind('/');
  if (slash == std::string_view::npos || base.ends_with(".yaml")) return std::nullopt;
  const std::string_view above = base.substr(0, slash);
  const std::string_view divisor = base.substr(slash + 1);
  const bool digits =
      !divisor.empty() && divisor.find_first_not_of("0123456789") == std::string_view::npos;
  const bool type = above.find('.') != std::string_view::npos && !above.starts_with('.') &&
                    above.find('/') == std::string_view::npos;
  if (digits || type || above.ends_with(".yaml")) return divisor;
  return std::nullopt;
}

}  // namespace

Result<FaultSpec> ParseFaultSpec(std::string_view text) {
  FaultSpec fault;
  fault.text = text;
  std::string_view rest = text;
  if (const size_t at = rest.rfind('@'); at != std::string_view::npos) {
    const std::string_view start = rest.substr(at + 1);
    const auto duration = ParseDuration(start);
    if (!duration || duration->count() < 0) {
      return Fail(SpecError(text, fmt::format("'{}' is no time", Printable(start)),
                            "Write the start after '@' like 500ms or 2s"));
    }
    fault.start = *duration;
    fault.has_start = true;
    rest = rest.substr(0, at);
  }
  if (const size_t equals = rest.find('='); equals != std::string_view::npos) {
    fault.value = rest.substr(equals + 1);
    if (fault.value.empty()) {
      return Fail(SpecError(text, "no value follows '='", "Write one, or leave '=' out"));
    }
    rest = rest.substr(0, equals);
  }
  if (const size_t colon = rest.find(':'); colon != std::string_view::npos) {
    fault.target = rest.substr(colon + 1);
    if (fault.target.empty()) {
      return Fail(SpecError(text, "no target follows ':'", "Write one, or leave ':' out"));
    }
    rest = rest.substr(0, colon);
  }
  fault.name = rest;
  if (!IsFaultName(rest)) {
    return Fail(
        SpecError(text, fmt::format("'{}' is no name of a fault", Printable(rest)), kFaultForm));
  }
  return fault;
}

Result<MachineSpec> ParseMachineSpec(std::string_view text) {
  MachineSpec spec;
  size_t comma = text.find(',');
  std::string_view base = text.substr(0, comma);
  if (const auto digits = DivisorOf(base)) {
    const auto [end, error] =
        std::from_chars(digits->data(), digits->data() + digits->size(), spec.divisor);
    if (error != std::errc() || end != digits->data() + digits->size() || spec.divisor == 0 ||
        spec.divisor > kMaxDivisor) {
      return Fail(
          SpecError(text, fmt::format("'{}' is no divisor", Printable(*digits)),
                    fmt::format("Write a whole number from 1 to {} after '/'", kMaxDivisor)));
    }
    base.remove_suffix(digits->size() + 1);
  }
  if (base.empty()) {
    return Fail(
        SpecError(text, "it names no machine", "Begin with an instance type or a .yaml file"));
  }
  spec.base = base;
  while (comma != std::string_view::npos) {
    text.remove_prefix(comma + 1);
    comma = text.find(',');
    RAILGAUGE_ASSIGN_OR_RETURN(FaultSpec fault, ParseFaultSpec(text.substr(0, comma)));
    spec.faults.push_back(std::move(fault));
  }
  return spec;
}

}  // namespace railgauge
