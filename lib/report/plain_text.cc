#include "lib/report/plain_text.h"

#include <cstddef>
#include <cstdint>

namespace railgauge {
namespace {

// The length of the character that `text` begins with; 0 where it begins with none (RFC 3629).
size_t CharacterAt(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const uint8_t second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool beyond = first == 0xf4 && second >= 0x90;
  // U+FFFE and U+FFFF are no characters of XML.
  const bool no_character = first == 0xef && second == 0xbf && byte(2) >= 0xbe;
  return overlong || surrogate || beyond || no_character ? 0 : length;
}

}  // namespace

std::string PlainUtf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t length = CharacterAt(text);
    const auto first = static_cast<uint8_t>(text[0]);
    const bool control = first < 0x20 && first != '\t' && first != '\n' && first != '\r';
    if (length == 0 || control || first == 0x7f) {
      result += '?';
      text.remove_prefix(1);
      continue;
    }
    result += text.substr(0, length);
    text.remove_prefix(length);
  }
  return result;
}

}  // namespace railgauge
