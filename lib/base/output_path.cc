#include "lib/base/output_path.h"

#include <sys/stat.h>

#include <filesystem>
#include <string_view>
#include <system_error>

namespace railgauge {
namespace {

constexpr std::string_view kNotKept[] = {"/sys", "/proc", "/run/cloud-init"};

bool IsBelow(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

Status CheckOutputPath(const std::string& path, const std::string& what) {
  struct stat there = {};
  const bool exists = ::stat(path.c_str(), &there) == 0;
  if (exists && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode)) return {};
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

}  // namespace railgauge
