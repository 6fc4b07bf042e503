#include "lib/base/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "fmt/core.h"
#include "lib/base/file_error.h"
#include "lib/base/output_path.h"
#include "lib/base/own_descriptor.h"
#include "lib/base/unique_fd.h"

namespace railgauge {

namespace {

constexpr int kPipeSilenceMs = 10'000;

// Until `fd`, a pipe, a terminal or another device, has something to read or its last writer is
// gone.
Status WaitForWriter(int fd, const std::string& path) {
  pollfd waiting = {fd, POLLIN, 0};
  const int ready = ::poll(&waiting, 1, kPipeSilenceMs);
  if (ready > 0 || (ready < 0 && errno == EINTR)) return {};
  if (ready < 0) return Fail(FileError(FileUse::kRead, errno, "poll", path));
  return Fail(MakeError("read", path,
                        fmt::format("nobody wrote to this pipe for {} s", kPipeSilenceMs / 1000),
                        "Write the file before, or give a regular file"));
}

std::string_view KindOf(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  return S_ISSOCK(mode) ? "a socket" : "a device";
}

Error NoRegularFile(const std::string& path, mode_t mode) {
  return MakeError("read", path, fmt::format("it is {} and no regular file", KindOf(mode)),
                   "Give the file as it was written");
}

Result<std::string> Read(const std::string& path, size_t max_bytes, bool must_be_regular) {
  // Without O_NONBLOCK, opening a pipe that nobody writes would wait for ever; and without O_NOCTTY
  // a terminal would become this process's own.
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid()) return Fail(FileError(FileUse::kRead, errno, "open", path));
  struct stat there = {};
  if (::fstat(fd.get(), &there) != 0) return Fail(FileError(FileUse::kRead, errno, "stat", path));
  if (must_be_regular && !S_ISREG(there.st_mode)) return Fail(NoRegularFile(path, there.st_mode));
  const bool may_wait = !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode);
  if (!may_wait) ::fcntl(fd.get(), F_SETFL, 0);
  std::string content;
  // On the stack this must stay small: a process may have a stack of 64 KiB.
  char buffer[8192];
  while (true) {
    if (may_wait) RAILGAUGE_RETURN_IF_ERROR(WaitForWriter(fd.get(), path));
    const ssize_t n = ::read(fd.get(), buffer, sizeof(buffer));
    if (n == 0) return content;
    if (n < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      return Fail(FileError(FileUse::kRead, errno, "read", path));
    }
    content.append(buffer, static_cast<size_t>(n));
    if (content.size() > max_bytes) {
      return Fail(MakeError("read", path, fmt::format("it is larger than {} bytes", max_bytes),
                            "No such file is so large: give the one that was meant"));
    }
  }
}

}  // namespace

Result<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  return Read(path, max_bytes, /*must_be_regular=*/false);
}

Result<std::string> ReadRegularFile(const std::string& path, size_t max_bytes) {
  return Read(path, max_bytes, /*must_be_regular=*/true);
}

Status CheckRegularFile(const std::string& path) {
  struct stat there = {};
  if (::stat(path.c_str(), &there) == 0) {
    if (S_ISREG(there.st_mode)) return {};
    return Fail(NoRegularFile(path, there.st_mode));
  }
  // A link that leads nowhere or round in a circle is there, too.
  const int why = errno;
  const bool absent = why == ENOENT || why == ENOTDIR;
  if (absent && ::lstat(path.c_str(), &there) != 0) return {};
  return Fail(FileError(FileUse::kRead, why, "open", path));
}

Result<std::string> ReadAttribute(const std::string& path) {
  RAILGAUGE_ASSIGN_OR_RETURN(std::string content, ReadFile(path, size_t{1} << 20));
  const char* blanks = " \t\r\n";
  const size_t first = content.find_first_not_of(blanks);
  if (first == std::string::npos) return std::string();
  return content.substr(first, content.find_last_not_of(blanks) - first + 1);
}

namespace {

Status WriteAll(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return Fail(FileError(FileUse::kWrite, errno, "write", path));
    }
    content.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

// Without O_NONBLOCK, opening a pipe that nobody reads would wait for ever.
Status WriteInPlace(const std::string& path, std::string_view content) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return Fail(FileError(FileUse::kWrite, errno, "open", path));
  ::fcntl(fd.get(), F_SETFL, 0);
  return WriteAll(fd.get(), content, path);
}

// The path that a symbolic link at `path` leads to, where it leads anywhere.
std::string Followed(const std::string& path) {
  char* const resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  std::string target = resolved;
  std::free(resolved);
  return target;
}

}  // namespace

Status WriteFileAtomically(const std::string& name, std::string_view content) {
  if (const auto own = OwnDescriptor(name)) {
    std::fflush(stdout);  // what stdio holds was said before
    return WriteAll(*own, content, name);
  }
  RAILGAUGE_RETURN_IF_ERROR(CheckOutputPath(name, "write"));
  struct stat there = {};
  const bool exists = ::stat(name.c_str(), &there) == 0;
  if (!exists && errno != ENOENT) return Fail(FileError(FileUse::kWrite, errno, "write", name));
  if (exists && !S_ISREG(there.st_mode)) return WriteInPlace(name, content);
  const std::string path = exists ? Followed(name) : name;
  std::string temporary = path + ".XXXXXX";
  UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.valid()) return Fail(FileError(FileUse::kWrite, errno, "create", path));
  // mkostemp makes files private to the owner; a report is as readable as any new file.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd.get(), 0666 & ~mask);
  Status status = WriteAll(fd.get(), content, path);
  if (status && ::fsync(fd.get()) != 0)
    status = Fail(FileError(FileUse::kWrite, errno, "fsync", path));
  if (status && ::rename(temporary.c_str(), path.c_str()) != 0) {
    status = Fail(FileError(FileUse::kWrite, errno, "rename to", path));
  }
  if (!status) ::unlink(temporary.c_str());
  return status;
}

}  // namespace railgauge
