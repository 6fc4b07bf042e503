// The spellings of an enum whose values count from 0: one array serves printing and parsing.
#ifndef RAILGAUGE_LIB_RECORD_ENUM_NAMES_H_
#define RAILGAUGE_LIB_RECORD_ENUM_NAMES_H_

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace railgauge {

template <typename Enum, size_t N>
std::string_view NameOf(const std::array<std::string_view, N>& names, Enum value) {
  return names[static_cast<size_t>(value)];
}

// Empty for a text that is none of the spellings.
template <typename Enum, size_t N>
std::optional<Enum> FromName(const std::array<std::string_view, N>& names, std::string_view text) {
  for (size_t i = 0; i < N; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_RECORD_ENUM_NAMES_H_
