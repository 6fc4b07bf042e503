#include "lib/report/html/page_table.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "fmt/core.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Moves `at` past digits; whether there was one.
bool SkipDigits(std::string_view text, size_t& at) {
  const size_t first = at;
  while (at < text.size() && IsDigit(text[at])) ++at;
  return at > first;
}

// What of the page's numbers JavaScript keeps exactly.
constexpr size_t kExactDigits = 15;

// `field` as a number of JSON; empty where it is none, or one whose text would change ("007").
std::optional<std::string> NumberOf(const std::string& field) {
  size_t at = field.starts_with('-') ? 1 : 0;
  const size_t first = at;
  if (!SkipDigits(field, at)) return std::nullopt;
  if (at - first > 1 && field[first] == '0') return std::nullopt;
  if (at == field.size()) {
    return at - first <= kExactDigits ? std::optional(field) : std::nullopt;
  }
  if (field[at] == '.' && !SkipDigits(field, ++at)) return std::nullopt;
  if (at < field.size() && (field[at] == 'e' || field[at] == 'E')) {
    ++at;
    if (at < field.size() && (field[at] == '+' || field[at] == '-')) ++at;
    if (!SkipDigits(field, at)) return std::nullopt;
  }
  if (at != field.size()) return std::nullopt;
  double value = 0;
  try {
    value = std::stod(field);
  } catch (const std::out_of_range&) {
    return std::nullopt;
  }
  return fmt::format("{:.6g}", value);
}

std::optional<std::string> NumbersOf(const std::vector<std::string>& fields) {
  std::string numbers;
  for (const std::string& field : fields) {
    if (!numbers.empty()) numbers += ',';
    if (field.empty()) {
      numbers += "null";
      continue;
    }
    const auto number = NumberOf(field);
    if (!number) return std::nullopt;
    numbers += *number;
  }
  return "{\"numbers\":[" + numbers + "]}";
}

std::string TextsOf(const std::vector<std::string>& fields) {
  std::map<std::string_view, size_t> known;
  std::string texts, index;
  for (const std::string& field : fields) {
    if (!index.empty()) index += ',';
    if (field.empty()) {
      index += "null";
      continue;
    }
    const auto [text, is_new] = known.try_emplace(field, known.size());
    if (is_new) texts += (texts.empty() ? "" : ",") + JsonText(field);
    index += std::to_string(text->second);
  }
  return "{\"texts\":[" + texts + "],\"index\":[" + index + "]}";
}

std::string ColumnJson(const std::vector<std::string>& fields) {
  const bool same = std::all_of(fields.begin(), fields.end(),
                                [&](const std::string& field) { return field == fields.front(); });
  if (!same) return NumbersOf(fields).value_or(TextsOf(fields));
  if (fields.empty() || fields.front().empty()) return "{\"all\":null}";
  return "{\"all\":" + NumberOf(fields.front()).value_or(JsonText(fields.front())) + "}";
}

}  // namespace

std::string JsonText(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string ToJson(const PageTable& table) {
  std::string columns;
  for (const PageTable::Column& column : table.columns) {
    if (!columns.empty()) columns += ',';
    columns += JsonText(column.name) + ":" + ColumnJson(column.fields);
  }
  return fmt::format("{{\"rows\":{},\"columns\":{{{}}}}}", table.rows, columns);
}

}  // namespace railgauge
