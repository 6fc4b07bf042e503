#include "lib/base/output_path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "lib/base/file_error.h"
#include "lib/base/own_descriptor.h"

namespace railgauge {
namespace {

constexpr std::string_view kNotKept[] = {"/sys", "/proc", "/run/cloud-init"};

bool IsBelow(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

tl::unexpected<Error> CannotWrite(int error_number, const std::string& what,
                                  const std::string& path, std::string advice = "") {
  return Fail(FileError(FileUse::kWrite, error_number, what, path, std::move(advice)));
}

// Whether files can be made in the folder, which is there, for `path`.
Status CheckFolder(const std::string& folder, const std::string& path, const std::string& what) {
  struct stat there = {};
  if (::stat(folder.c_str(), &there) != 0) {
    return CannotWrite(errno, what, path,
                       errno == ENOENT ? "There is no folder " + folder +
                                             ": make it first, or choose another place"
                                       : "");
  }
  if (!S_ISDIR(there.st_mode)) return CannotWrite(ENOTDIR, what, path);
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    return CannotWrite(errno, what, path);
  }
  return {};
}

}  // namespace

Status CheckOutputPath(const std::string& path, const std::string& what) {
  struct stat there = {};
  const bool exists = ::stat(path.c_str(), &there) == 0;
  if (exists && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode)) return {};
  // As cp does: what a link that leads nowhere was meant for is a guess.
  if (!exists && errno == ENOENT && ::lstat(path.c_str(), &there) == 0) {
    return Fail(MakeError(what, path, "it is a symbolic link to what is not there",
                          "Remove the link, or name what it is to lead to"));
  }
  std::error_code error;
  // Absolute first: a name of which no part exists would stay relative.
  const auto absolute = std::filesystem::absolute(path, error);
  if (error) return {};  // what uses the path says why it cannot
  const auto resolved = std::filesystem::weakly_canonical(absolute, error);
  const std::string real = error ? absolute.string() : resolved.string();
  for (const std::string_view folder : kNotKept) {
    if (!IsBelow(real, folder)) continue;
    return Fail(MakeError(what, path, "files below " + std::string(folder) + " are not kept",
                          "Choose a place on a disk"));
  }
  return {};
}

Status CheckCanWrite(const std::string& path, const std::string& what) {
  namespace fs = std::filesystem;
  if (OwnDescriptor(path)) return {};
  RAILGAUGE_RETURN_IF_ERROR(CheckOutputPath(path, what));
  struct stat there = {};
  const bool exists = ::stat(path.c_str(), &there) == 0;
  if (!exists && errno != ENOENT) return CannotWrite(errno, what, path);
  if (path.ends_with('/') || (exists && S_ISDIR(there.st_mode))) {
    return CannotWrite(EISDIR, what, path);
  }
  if (exists && !S_ISREG(there.st_mode)) {
    if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0) return {};
    return CannotWrite(errno, what, path);
  }
  std::error_code error;
  const fs::path target = exists ? fs::canonical(path, error) : fs::path(path);
  const fs::path folder = target.parent_path();
  RAILGAUGE_RETURN_IF_ERROR(CheckFolder(folder.empty() ? "." : folder.string(), path, what));
  // It is written under this name first.
  const std::string temporary = target.string() + ".XXXXXX";
  if (::lstat(temporary.c_str(), &there) == 0 || errno == ENOENT) return {};
  return CannotWrite(errno, what, path);
}

Status CheckCanMakeFolder(const std::string& path, const std::string& what) {
  RAILGAUGE_RETURN_IF_ERROR(CheckOutputPath(path, what));
  std::filesystem::path folder = path;
  struct stat there = {};
  while (::lstat(folder.empty() ? "." : folder.c_str(), &there) != 0) {
    if (errno != ENOENT || folder.empty()) return CannotWrite(errno, what, path);
    folder = folder.has_filename() ? folder.parent_path() : folder.parent_path().parent_path();
  }
  return CheckFolder(folder.empty() ? "." : folder.string(), path, what);
}

}  // namespace railgauge
