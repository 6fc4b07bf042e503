#include "lib/base/file_id.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "lib/base/own_descriptor.h"

namespace railgauge {
namespace {

std::optional<FileId> FileIdOf(const struct stat& there) {
  if (!S_ISREG(there.st_mode)) return std::nullopt;
  return FileId{there.st_dev, there.st_ino, ""};
}

}  // namespace

std::optional<FileId> FileIdOf(const std::string& path) {
  if (const auto fd = OwnDescriptor(path)) return *fd == 1 ? std::nullopt : FileIdOf(*fd);
  struct stat there = {};
  if (::stat(path.c_str(), &there) == 0) return FileIdOf(there);
  std::error_code error;
  // Absolute first: a name of which no part exists would stay relative.
  const auto absolute = std::filesystem::absolute(path, error);
  if (error) return std::nullopt;
  const auto canonical = std::filesystem::weakly_canonical(absolute, error);
  return FileId{0, 0, (error ? absolute.lexically_normal() : canonical).string()};
}

std::optional<FileId> FileIdOf(int fd) {
  struct stat there = {};
  if (::fstat(fd, &there) != 0) return std::nullopt;
  return FileIdOf(there);
}

}  // namespace railgauge
