// UTF-8 text, character by character (RFC 3629).
#ifndef RAILGAUGE_LIB_BASE_UTF8_H_
#define RAILGAUGE_LIB_BASE_UTF8_H_

#include <cstddef>
#include <string_view>

namespace railgauge {

// The bytes of the character that `text`, which is not empty, begins with; 0 where it begins with
// none: a byte out of place, one too long, a surrogate, or what is beyond Unicode.
size_t Utf8CharacterSize(std::string_view text);

// The longest part at the beginning of `text` of at most `max_bytes` that cuts no character in two.
std::string_view Utf8Prefix(std::string_view text, size_t max_bytes);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_BASE_UTF8_H_
