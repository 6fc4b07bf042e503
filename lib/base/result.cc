#include "lib/base/result.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace railgauge {

std::string Printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = '?';
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
  std::string line = operation;
  if (!object.empty()) line += (line.empty() ? "" : " ") + object;
  if (!reason.empty()) line += (line.empty() ? "" : ": ") + reason;
  if (!advice.empty()) {
    line += ". " + advice;
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
