#include "lib/base/quoted.h"

#include <cstddef>

#include "lib/base/result.h"
#include "lib/base/utf8.h"

namespace railgauge {

std::string Shortened(std::string_view text) {
  constexpr size_t kMaxBytes = 100;
  const std::string_view shown = Utf8Prefix(text, kMaxBytes);
  return Printable(shown) + (shown.size() < text.size() ? "…" : "");
}

std::string Quoted(std::string_view text) { return "'" + Shortened(text) + "'"; }

}  // namespace railgauge
