#include "lib/base/own_descriptor.h"

#include <charconv>
#include <system_error>

namespace railgauge {

std::optional<int> OwnDescriptor(std::string_view path) {
  if (path == "/dev/stdin") return 0;
  if (path == "/dev/stdout") return 1;
  if (path == "/dev/stderr") return 2;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view name = path.substr(folder.size());
    int number = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool whole = error == std::errc() && end == name.data() + name.size() && number >= 0;
    if (whole) return number;
  }
  return std::nullopt;
}

}  // namespace railgauge
