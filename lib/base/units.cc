#include "lib/base/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "fmt/core.h"
#include "lib/base/quoted.h"
#include "lib/base/rate_unit.h"

namespace railgauge {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 10> kByteUnits = {{{"", 1},
                                              {"B", 1},
                                              {"KiB", 1024.0},
                                              {"MiB", 1024.0 * 1024},
                                              {"GiB", 1024.0 * 1024 * 1024},
                                              {"TiB", 1024.0 * 1024 * 1024 * 1024},
                                              {"kB", 1e3},
                                              {"MB", 1e6},
                                              {"GB", 1e9},
                                              {"TB", 1e12}}};
constexpr std::array<Unit, 6> kRateUnits = {{{"B/s", 1},
                                             {"kB/s", 1e3},
                                             {"MB/s", 1e6},
                                             {"GB/s", 1e9},
                                             {"Mb/s", 1e6 / 8},
                                             {"Gb/s", 1e9 / 8}}};
constexpr std::array<Unit, 6> kDurationUnits = {
    {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}}};

constexpr std::array<RateUnit, 4> kShownRates = {
    {{"GB/s", 1e9}, {"MB/s", 1e6}, {"kB/s", 1e3}, {"B/s", 1}}};

// A non-negative decimal number, optionally one space, then one of `units`.
Result<double> ParseQuantity(std::string_view text, std::span<const Unit> units,
                             std::string_view examples) {
  const auto fail = [&](std::string_view why) {
    return Fail(MakeError("read quantity", Quoted(text), std::string(why),
                          fmt::format("Write it like {}", examples)));
  };
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc()) return fail("it does not begin with a number");
  if (!std::isfinite(number) || std::signbit(number)) return fail("it is negative or not finite");
  std::string_view name(rest, static_cast<size_t>(end - rest));
  if (name.starts_with(' ')) name.remove_prefix(1);
  for (const Unit& unit : units) {
    if (unit.name == name) return number * unit.factor;
  }
  return fail(name.empty() ? std::string("it has no unit") : Quoted(name) + " is no unit here");
}

}  // namespace

Result<Bytes> ParseBytes(std::string_view text) {
  RAILGAUGE_ASSIGN_OR_RETURN(const double value,
                             ParseQuantity(text, kByteUnits, "4096, 64KiB, 1MiB or 80GB"));
  if (value != std::floor(value) || value >= 0x1p63) {
    return Fail(MakeError("read quantity", Quoted(text),
                          "it is no whole number of bytes below 2^63",
                          "Write it like 4096, 64KiB, 1MiB or 80GB"));
  }
  return Bytes{static_cast<uint64_t>(value)};
}

Result<BytesPerSecond> ParseBytesPerSecond(std::string_view text) {
  RAILGAUGE_ASSIGN_OR_RETURN(const double value,
                             ParseQuantity(text, kRateUnits, "12.5GB/s or 100Gb/s"));
  return BytesPerSecond{value};
}

Result<Nanoseconds> ParseDuration(std::string_view text) {
  RAILGAUGE_ASSIGN_OR_RETURN(const double value,
                             ParseQuantity(text, kDurationUnits, "500us, 10ms, 60s or 5min"));
  // Far below what 64 bits hold (292 years), so that sums and small multiples hold, too.
  constexpr double kYear = 365 * 24 * 3600e9;
  if (value > kYear) {
    return Fail(MakeError("read quantity", Quoted(text), "it is longer than a year",
                          "Write it like 500us, 10ms, 60s or 5min"));
  }
  return Nanoseconds(std::llround(value));
}

std::string FormatBytes(Bytes bytes) {
  constexpr std::array<std::string_view, 5> kNames = {"B", "KiB", "MiB", "GiB", "TiB"};
  uint64_t count = bytes.count;
  size_t unit = 0;
  while (unit + 1 < kNames.size() && count != 0 && count % 1024 == 0) {
    count /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", count, kNames[unit]);
}

RateUnit UnitFor(BytesPerSecond rate) {
  for (const RateUnit& unit : kShownRates) {
    if (rate.value >= unit.factor) return unit;
  }
  return rate.value > 0 ? kShownRates.back() : kShownRates.front();
}

std::string FormatBytesPerSecond(BytesPerSecond rate) {
  const RateUnit unit = UnitFor(rate);
  return fmt::format("{:.2f} {}", rate.value / unit.factor, unit.name);
}

std::string FormatDuration(Nanoseconds duration) {
  const double ns = static_cast<double>(duration.count());
  if (ns >= 120e9) {
    const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(duration);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration - minutes);
    return fmt::format("{} min {} s", minutes.count(), seconds.count());
  }
  if (ns >= 1e9) return fmt::format("{:.1f} s", ns / 1e9);
  if (ns >= 1e6) return fmt::format("{:.1f} ms", ns / 1e6);
  if (ns >= 1e3) return fmt::format("{:.1f} us", ns / 1e3);
  return fmt::format("{} ns", duration.count());
}

}  // namespace railgauge
