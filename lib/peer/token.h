// Token: the secret that two hosts share, by which each proves to the other that it may measure
// with it: 256 random bits in a file that only its owner can read.
//
// The control channel uses it as the pre-shared key of TLS 1.3, so it never crosses the network,
// and there is no certificate to make, to trust or to expire.
#ifndef RAILGAUGE_LIB_PEER_TOKEN_H_
#define RAILGAUGE_LIB_PEER_TOKEN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace railgauge {

struct Token {
  std::array<uint8_t, 32> key{};

  // From the kernel's random numbers.
  static Result<Token> Random();

  // The file's one line, "railgauge-token-1 " and 64 hexadecimal digits; and back. Empty for a text
  // that is none.
  std::string ToText() const;
  static std::optional<Token> Parse(std::string_view text);

  friend bool operator==(const Token&, const Token&) = default;
};

// Makes a token file of mode 0600. A file that is there already is never replaced: the other host
// may have a copy of it.
Status MakeTokenFile(const std::string& path);

// Reads one. A file that others than its owner may read or write is refused: it is no secret.
Result<Token> ReadTokenFile(const std::string& path);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PEER_TOKEN_H_
