#include "lib/peer/token.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "fmt/core.h"
#include "lib/base/file_error.h"
#include "lib/base/unique_fd.h"

namespace railgauge {
namespace {

constexpr std::string_view kPrefix = "railgauge-token-1 ";
constexpr std::string_view kDigits = "0123456789abcdef";
constexpr mode_t kOthers = S_IRWXG | S_IRWXO;

}  // namespace

Result<Token> Token::Random() {
  Token token;
  // Up to 256 bytes come whole once the kernel's generator is seeded, and it waits for that.
  if (::getrandom(token.key.data(), token.key.size(), 0) !=
      static_cast<ssize_t>(token.key.size())) {
    return Fail(ErrnoError(errno, "getrandom"));
  }
  return token;
}

std::string Token::ToText() const {
  std::string text(kPrefix);
  for (const uint8_t byte : key) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text + '\n';
}

std::optional<Token> Token::Parse(std::string_view text) {
  Token token;
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  if (text.size() != token.key.size() * 2) return std::nullopt;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t digit = kDigits.find(text[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    token.key[i / 2] = static_cast<uint8_t>(size_t{token.key[i / 2]} << 4 | digit);
  }
  return token;
}

Status MakeTokenFile(const std::string& path) {
  RAILGAUGE_ASSIGN_OR_RETURN(const Token token, Token::Random());
  const std::string text = token.ToText();
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!fd.valid()) {
    return Fail(FileError(FileUse::kWrite, errno, "make token file", path,
                          errno == EEXIST ? "A token is never replaced: remove it, or choose "
                                            "another name"
                                          : ""));
  }
  const bool written =
      ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fsync(fd.get()) == 0;
  if (written) return {};
  const int error = errno;
  ::unlink(path.c_str());  // half a token is of no use
  return Fail(FileError(FileUse::kWrite, error, "write token file", path));
}

Result<Token> ReadTokenFile(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) {
    return Fail(FileError(FileUse::kRead, errno, "read token file", path,
                          errno == ENOENT ? "Make one with: railgauge token FILE, and copy it to "
                                            "the other host"
                                          : ""));
  }
  struct stat facts = {};
  if (::fstat(fd.get(), &facts) != 0) {
    return Fail(FileError(FileUse::kRead, errno, "read token file", path));
  }
  if (!S_ISREG(facts.st_mode)) {
    return Fail(MakeError("read token file", path, "it is no regular file",
                          "Give the file that railgauge token FILE made"));
  }
  if ((facts.st_mode & kOthers) != 0) {
    return Fail(MakeError("read token file", path,
                          fmt::format("others than its owner have access to it (mode {:04o})",
                                      facts.st_mode & 07777u),
                          "Run: chmod 600 " + path));
  }
  char text[256];
  const ssize_t length = ::read(fd.get(), text, sizeof(text));
  if (length < 0) return Fail(FileError(FileUse::kRead, errno, "read token file", path));
  const auto token = Token::Parse({text, static_cast<size_t>(length)});
  if (token) return *token;
  return Fail(MakeError("read token file", path, "it holds no railgauge token",
                        "Remove it, then make one with: railgauge token FILE"));
}

}  // namespace railgauge
