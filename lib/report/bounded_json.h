// JSON that a file holds, parsed by nlohmann_json: an Error names file and line, and nesting is
// bounded, since what copies, prints or walks a value recurses.
#ifndef RAILGAUGE_LIB_REPORT_BOUNDED_JSON_H_
#define RAILGAUGE_LIB_REPORT_BOUNDED_JSON_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/result.h"
#include "nlohmann/json.hpp"

namespace railgauge {

// Json is nlohmann::json or, where the order of members matters, nlohmann::ordered_json.
template <typename Json>
Result<Json> ParseBoundedJson(std::string_view content, const std::string& path,
                              const std::string& advice) {
  constexpr int kMaxDepth = 64;
  bool too_deep = false;
  const auto bounded = [&](int depth, typename Json::parse_event_t /*event*/, Json& /*value*/) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;  // what is too deep is dropped while it is read
  };
  const auto at_line = [&](size_t line, std::string reason) {
    return Fail(MakeError("read", path + ":" + std::to_string(line), std::move(reason), advice));
  };
  try {
    Json value = Json::parse(content, bounded);
    if (!too_deep) return value;
    return at_line(1, "its JSON nests too deep");
  } catch (const typename Json::parse_error& error) {
    const std::string_view before = content.substr(0, std::min(error.byte, content.size()));
    return at_line(1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n')),
                   "it is no JSON from here on");
  } catch (const typename Json::exception&) {
    return at_line(1, "it has a number that is too large");
  }
}

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_BOUNDED_JSON_H_
