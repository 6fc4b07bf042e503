#include "lib/measure/cpu_wait.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "lib/base/file.h"

namespace railgauge {
std::optional<Nanoseconds> CpuWaitOfThread(const std::string& proc) {
  const auto text = ReadAttribute(proc + "/thread-self/schedstat");
  if (!text) return std::nullopt;
  // "<time on CPU> <time waiting> <slices>", in ns.
  std::string_view rest = *text;
  const size_t space = rest.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(space + 1);
  int64_t wait = 0;
  const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), wait);
  if (parsed.ec != std::errc()) return std::nullopt;
  return Nanoseconds{wait};
}

Nanoseconds TolerableCpuWait(Bytes bytes_in_flight, BytesPerSecond rate, Nanoseconds window) {
  constexpr Nanoseconds kMost = std::chrono::milliseconds{2};
  const double covered = rate.value > 0
                             ? static_cast<double>(bytes_in_flight.count) / rate.value * 1e9 / 2
                             : static_cast<double>(kMost.count());
  return Nanoseconds{static_cast<int64_t>(std::min(covered, static_cast<double>(kMost.count())))} +
         window / 100;
}

}  // namespace railgauge
