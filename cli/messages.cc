#include "cli/messages.h"

#include <cstdio>

#include "fmt/core.h"

namespace railgauge {

void PrintError(std::string_view program, const Error& error) {
  std::fflush(stdout);  // in a log that has both, the error is the last line
  fmt::print(stderr, "{}: {}\n", Printable(program), error.ToString());
}

void PrintNotes(const std::vector<std::string>& notes) {
  std::fflush(stdout);  // in a log that has both, a note stands behind what was printed before it
  // As an Error, so of bounded length.
  for (const std::string& note : notes) {
    fmt::print(stderr, "note: {}\n", MakeError("", "", note).ToString());
  }
}

}  // namespace railgauge
