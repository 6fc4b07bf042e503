#include "lib/placement/import/json_text.h"

#include <algorithm>
#include <cstddef>

namespace railgauge {

Result<nlohmann::ordered_json> ParseJson(const ImportSource& source) {
  using Json = nlohmann::ordered_json;
  constexpr int kMaxDepth = 64;
  bool too_deep = false;
  const auto bounded = [&](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;  // what is too deep is dropped while it is read
  };
  const auto line_at = [&](size_t byte) {
    const size_t end = std::min(byte, source.content.size());
    return 1 +
           static_cast<size_t>(std::count(
               source.content.begin(), source.content.begin() + static_cast<ptrdiff_t>(end), '\n'));
  };
  try {
    Json value = Json::parse(source.content, bounded);
    if (!too_deep) return value;
    return Fail(ImportError(source, 1, "its JSON nests too deep"));
  } catch (const Json::parse_error& error) {
    return Fail(ImportError(source, line_at(error.byte), "it is no JSON from here on",
                            "Was the file cut off, or is it another one"));
  }
}

}  // namespace railgauge
