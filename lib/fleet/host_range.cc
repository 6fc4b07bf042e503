#include "lib/fleet/host_range.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "fmt/core.h"

namespace railgauge {
namespace {

constexpr char kAdvice[] = "Write ranges like p5-[001-064,070], or name each host";

// A number as it is written: "007".
struct Number {
  uint64_t value = 0;
  size_t digits = 0;
};

std::optional<Number> ParseNumber(std::string_view text) {
  Number number{0, text.size()};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

class Expansion {
 public:
  Expansion(std::string_view item, const std::string& where) : item_(item), where_(where) {}

  Result<std::vector<std::string>> Names() {
    std::string_view rest = item_;
    while (true) {
      const size_t open = std::min(rest.find('['), rest.size());
      Append(std::string(rest.substr(0, open)));
      if (rest.substr(0, open).find(']') != std::string_view::npos) {
        return Wrong("']' closes no bracket");
      }
      if (open == rest.size()) return std::move(names_);
      const size_t close = rest.find(']', open);
      if (close == std::string_view::npos) return Wrong("'[' is not closed");
      RAILGAUGE_RETURN_IF_ERROR(Multiply(rest.substr(open + 1, close - open - 1)));
      rest.remove_prefix(close + 1);
    }
  }

 private:
  tl::unexpected<Error> Wrong(const std::string& what) const {
    return Fail(MakeError("read the hosts", where_,
                          fmt::format("in '{}' {}", Printable(item_), what), kAdvice));
  }

  void Append(const std::string& text) {
    for (std::string& name : names_) name += text;
  }

  // Every name with every number of the bracket behind it.
  Status Multiply(std::string_view bracket) {
    std::vector<std::string> numbers;
    for (const std::string& part : SplitHostList(bracket)) {
      RAILGAUGE_RETURN_IF_ERROR(AddNumbers(part, numbers));
    }
    if (numbers.empty()) return Wrong("nothing is between the brackets");
    if (names_.size() * numbers.size() > kMostHosts) return TooMany();
    std::vector<std::string> longer;
    for (const std::string& name : names_) {
      for (const std::string& number : numbers) longer.push_back(name + number);
    }
    names_ = std::move(longer);
    return {};
  }

  Status AddNumbers(std::string_view part, std::vector<std::string>& numbers) const {
    const size_t dash = part.find('-');
    const auto first = ParseNumber(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : ParseNumber(part.substr(dash + 1));
    if (!first || !last) {
      return Wrong(fmt::format("'{}' is neither a number nor a range of numbers", Printable(part)));
    }
    if (last->value < first->value) {
      return Wrong(fmt::format("the range {} runs backwards", Printable(part)));
    }
    if (last->value - first->value >= kMostHosts - numbers.size()) return TooMany();
    for (uint64_t i = 0; i <= last->value - first->value; ++i) {
      numbers.push_back(fmt::format("{:0{}}", first->value + i, first->digits));
    }
    return {};
  }

  tl::unexpected<Error> TooMany() const {
    return Wrong(fmt::format("are more than {} hosts, the most of a fleet", kMostHosts));
  }

  const std::string_view item_;
  const std::string& where_;
  std::vector<std::string> names_ = {""};
};

}  // namespace

std::vector<std::string> SplitHostList(std::string_view list) {
  std::vector<std::string> items;
  if (list.empty()) return items;
  items.emplace_back();
  bool in_brackets = false;
  for (const char c : list) {
    if (c == '[' || c == ']') in_brackets = c == '[';
    if (c == ',' && !in_brackets) {
      items.emplace_back();
    } else {
      items.back() += c;
    }
  }
  return items;
}

Result<std::vector<std::string>> ExpandHostRange(std::string_view item, const std::string& where) {
  return Expansion(item, where).Names();
}

}  // namespace railgauge
