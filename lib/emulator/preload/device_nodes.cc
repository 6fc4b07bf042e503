#include "lib/emulator/preload/device_nodes.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "lib/emulator/launcher/environment.h"
#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {

namespace {

// As the kernel numbers them, with major number 231.
constexpr size_t kFirstMinor = 192;
constexpr mode_t kDefaultMode = 0666;

std::optional<size_t> ParseNumber(std::string_view text) {
  size_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

std::optional<dev_t> ReadDeviceNumber(size_t index) {
  char path[96];
  const auto end =
      fmt::format_to_n(path, sizeof path - 1, "/sys/class/infiniband_verbs/uverbs{}/dev", index);
  *end.out = '\0';
  const int64_t fd = RawSyscall(SYS_openat, AT_FDCWD, &path[0], O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  char text[32];
  const int64_t length = RawSyscall(SYS_read, fd, &text[0], sizeof text);
  RawSyscall(SYS_close, fd);
  std::string_view content(text, length < 0 ? 0 : static_cast<size_t>(length));
  while (!content.empty() && content.back() == '\n') content.remove_suffix(1);
  const size_t colon = content.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto major = ParseNumber(content.substr(0, colon));
  const auto minor = ParseNumber(content.substr(colon + 1));
  if (!major || !minor) return std::nullopt;
  return makedev(static_cast<unsigned>(*major), static_cast<unsigned>(*minor));
}

mode_t NodeMode() {
  const char* text = std::getenv(kDeviceModeVariable);
  if (text == nullptr) return kDefaultMode;
  return static_cast<mode_t>(std::strtoul(text, nullptr, 8)) & 0777;
}

}  // namespace

std::optional<size_t> UverbsNodeOf(const char* path) {
  if (path == nullptr || std::strncmp(path, "/dev/", 5) != 0) return std::nullopt;
  const std::string_view whole(path);
  constexpr std::string_view kByName = "/dev/infiniband/uverbs";
  if (whole.starts_with(kByName)) return ParseNumber(whole.substr(kByName.size()));
  constexpr std::string_view kByNumber = "/dev/char/231:";
  if (!whole.starts_with(kByNumber)) return std::nullopt;
  const auto minor = ParseNumber(whole.substr(kByNumber.size()));
  if (!minor || *minor < kFirstMinor) return std::nullopt;
  return *minor - kFirstMinor;
}

bool IsEmulated() {
  static const bool emulated = std::getenv(kSpecVariable) != nullptr;
  return emulated;
}

int StatUverbsNode(size_t index, struct stat* result) {
  const auto number = ReadDeviceNumber(index);
  if (!number) return -ENOENT;
  *result = {};
  result->st_mode = S_IFCHR | NodeMode();
  result->st_rdev = *number;
  result->st_nlink = 1;
  result->st_ino = 1000 + index;
  result->st_blksize = 4096;
  return 0;
}

bool MayAccess(mode_t mode, uid_t uid, gid_t gid, int wanted) {
  if (uid == 0) return true;
  const mode_t bits = gid == 0 ? mode >> 3 : mode;
  return (static_cast<mode_t>(wanted) & ~bits & 7) == 0;
}

}  // namespace railgauge
