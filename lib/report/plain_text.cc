#include "lib/report/plain_text.h"

#include <cstddef>
#include <cstdint>

#include "lib/base/utf8.h"

namespace railgauge {
namespace {

// U+FFFE and U+FFFF, which are no characters of XML.
bool IsNoXmlCharacter(std::string_view character) {
  return character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf";
}

}  // namespace

std::string PlainUtf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t length = Utf8CharacterSize(text);
    const auto first = static_cast<uint8_t>(text[0]);
    const bool control = first < 0x20 && first != '\t' && first != '\n' && first != '\r';
    if (length == 0 || control || first == 0x7f || IsNoXmlCharacter(text.substr(0, length))) {
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
