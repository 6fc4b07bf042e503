#include "lib/base/result.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lib/base/utf8.h"

namespace railgauge {
namespace {

// U+0080 to U+009f are controls, too.
bool IsControl(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

// A part of a message that has no end in sight: its beginning, and its end, which of a path is what
// tells it from others.
std::string Bounded(std::string_view text) {
  constexpr size_t kMaxBytes = 1500, kKept = 500;
  if (text.size() <= kMaxBytes) return std::string(text);
  return std::string(Utf8Prefix(text, kKept)) + " … " +
         std::string(text.substr(text.size() - kKept));
}

}  // namespace

std::string Printable(std::string_view text) {
  // Nearly every text: so that a million rows of CSV are no matter.
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f;
  });
  if (is_plain) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t size = Utf8CharacterSize(text);
    const std::string_view character = text.substr(0, size == 0 ? 1 : size);
    if (size == 0 || IsControl(character)) {
      out += '?';
    } else {
      out += character;
    }
    text.remove_prefix(character.size());
  }
  return out;
}

std::string ErrnoName(int error_number) {
  const char* name = strerrorname_np(error_number);
  return name != nullptr ? name : "errno " + std::to_string(error_number);
}

namespace {

// A limit of this process, and nothing of the object, is why: what the caller would say to do about
// the object would lead the reader astray.
std::string AdviceFor(int error_number, std::string advice) {
  switch (error_number) {
    case EMFILE:
      return "Raise this process's limit of open files (ulimit -n)";
    case ENFILE:
      return "The system has too many open files: raise sysctl fs.file-max";
    case ENOMEM:
      if (advice.empty()) return "Free memory, or raise this process's limit of it (ulimit -v)";
      return advice;
    default:
      return advice;
  }
}

}  // namespace

Error ErrnoError(int error_number, std::string operation, std::string object, std::string advice) {
  Error error;
  error.operation = std::move(operation);
  error.object = std::move(object);
  error.reason = ErrnoName(error_number);
  if (const char* text = strerrordesc_np(error_number)) {
    error.reason += std::string(" (") + text + ")";
  }
  error.advice = AdviceFor(error_number, std::move(advice));
  error.error_number = error_number;
  return error;
}

Error MakeError(std::string operation, std::string object, std::string reason, std::string advice) {
  Error error;
  error.operation = std::move(operation);
  error.object = std::move(object);
  error.reason = std::move(reason);
  error.advice = std::move(advice);
  return error;
}

std::string Error::ToString() const {
  std::string line = Bounded(operation);
  if (!object.empty()) line += (line.empty() ? "" : " ") + Bounded(object);
  if (!reason.empty()) line += (line.empty() ? "" : ": ") + Bounded(reason);
  if (!advice.empty()) {
    line += ". " + Bounded(advice);
    if (std::string_view(".?!").find(advice.back()) == std::string_view::npos) line += '.';
  }
  return Printable(line);
}

namespace internal {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace internal
}  // namespace railgauge
