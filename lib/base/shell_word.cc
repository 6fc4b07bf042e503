#include "lib/base/shell_word.h"

#include "lib/base/result.h"

namespace railgauge {

std::string QuoteForShell(std::string_view word) {
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string ShellWord(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+,:@%=";
  const bool is_plain = !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
  return Printable(is_plain ? std::string(word) : QuoteForShell(word));
}

}  // namespace railgauge
