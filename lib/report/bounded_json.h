// JSON that a file holds, parsed by nlohmann_json: an Error names file and line, nesting is
// bounded, since what copies, prints or walks a value recurses, and no object has a key twice, of
// which every reader would take another one and say nothing.
#ifndef RAILGAUGE_LIB_REPORT_BOUNDED_JSON_H_
#define RAILGAUGE_LIB_REPORT_BOUNDED_JSON_H_

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/quoted.h"
#include "lib/base/result.h"
#include "nlohmann/json.hpp"

namespace railgauge {

namespace internal {

// Goes through a text and tells how far its reader, which keeps a copy, has come.
class ReadSoFar {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  ReadSoFar(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  reference operator*() const { return *at_; }
  ReadSoFar& operator++() {
    *furthest_ = std::max(*furthest_, ++at_);
    return *this;
  }
  ReadSoFar operator++(int) {
    const ReadSoFar before = *this;
    ++*this;
    return before;
  }
  bool operator==(const ReadSoFar& other) const { return at_ == other.at_; }
  bool operator!=(const ReadSoFar& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

}  // namespace internal

// Json is nlohmann::json or, where the order of members matters, nlohmann::ordered_json.
template <typename Json>
Result<Json> ParseBoundedJson(std::string_view content, const std::string& path,
                              const std::string& advice) {
  constexpr int kMaxDepth = 64;
  using Event = typename Json::parse_event_t;
  const char* const begin = content.data();
  const char* const end = begin + content.size();
  const char* read = begin;
  bool too_deep = false;
  std::map<int, std::set<std::string>> keys;  // of the open objects, by the depth of their members
  std::optional<std::pair<std::string, size_t>> doubled;  // and how much was read
  const auto watch = [&](int depth, Event event, Json& value) {
    too_deep = too_deep || depth > kMaxDepth;
    if (too_deep) return false;  // what is too deep is dropped while it is read
    if (event == Event::object_start) keys[depth + 1].clear();
    if (event == Event::key && !doubled) {
      const auto& key = value.template get_ref<const std::string&>();
      if (!keys[depth].insert(key).second) doubled = {key, static_cast<size_t>(read - begin)};
    }
    return true;
  };
  const auto at_line = [&](size_t line, std::string reason) {
    return Fail(MakeError("read", path + ":" + std::to_string(line), std::move(reason), advice));
  };
  const auto line_of = [&](size_t offset) {
    const std::string_view before = content.substr(0, std::min(offset, content.size()));
    return 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
  };
  try {
    Json value =
        Json::parse(internal::ReadSoFar(begin, &read), internal::ReadSoFar(end, &read), watch);
    if (too_deep) return at_line(1, "its JSON nests too deep");
    if (!doubled) return value;
    return at_line(line_of(doubled->second),
                   "the key " + Quoted(doubled->first) + " is there already in its object");
  } catch (const typename Json::parse_error& error) {
    return at_line(line_of(error.byte), "it is no JSON from here on");
  } catch (const typename Json::exception&) {
    return at_line(1, "it has a number that is too large");
  }
}

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_BOUNDED_JSON_H_
