// Quantities with their unit in the type, and their spelling in files and flags.
//
// Decimal prefixes are powers of 1000 (GB/s, Gb/s), binary ones powers of 1024 (MiB): a file that
// mixes them up is refused, because network rates are decimal and buffer sizes are binary.
#ifndef RAILGAUGE_LIB_BASE_UNITS_H_
#define RAILGAUGE_LIB_BASE_UNITS_H_

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace railgauge {

using Nanoseconds = std::chrono::nanoseconds;

// A number of bytes.
struct Bytes {
  uint64_t count = 0;
  friend auto operator<=>(const Bytes&, const Bytes&) = default;
};

// A throughput. Zero is a throughput of zero; "unknown" is an empty std::optional.
struct BytesPerSecond {
  double value = 0;
  friend auto operator<=>(const BytesPerSecond&, const BytesPerSecond&) = default;
};

// "4096", "64KiB", "1MiB", "2GiB", "80GB". A bare number is bytes.
Result<Bytes> ParseBytes(std::string_view text);

// "12.5GB/s", "500MB/s" (bytes) or "100Gb/s" (bits). The unit is required and case counts.
Result<BytesPerSecond> ParseBytesPerSecond(std::string_view text);

// "500ns", "20us", "10ms", "60s", "5min", "1h", at most a year. The unit is required.
Result<Nanoseconds> ParseDuration(std::string_view text);

// The shortest exact binary spelling: "1MiB", 4096 -> "4KiB", 1000 -> "1000B".
std::string FormatBytes(Bytes bytes);

// "12.50 GB/s", "3.20 MB/s": in UnitFor(rate), two digits.
std::string FormatBytesPerSecond(BytesPerSecond rate);

// "3.2 s", "84 us": two significant units at most, for people.
std::string FormatDuration(Nanoseconds duration);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_BASE_UNITS_H_
