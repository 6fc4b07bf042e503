// ShellWord: a word of a command line that a person copies into a shell, or a shell reads.
#ifndef RAILGAUGE_LIB_BASE_SHELL_WORD_H_
#define RAILGAUGE_LIB_BASE_SHELL_WORD_H_

#include <string>
#include <string_view>

namespace railgauge {

// `word` so that a POSIX shell reads it as that one word.
std::string QuoteForShell(std::string_view word);

// `word` as it is typed into a shell, for command lines that are shown: quoted where it must be,
// and as Printable (result.h).
std::string ShellWord(std::string_view word);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_BASE_SHELL_WORD_H_
