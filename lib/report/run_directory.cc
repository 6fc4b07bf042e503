#include "lib/report/run_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "fmt/core.h"
#include "lib/base/output_path.h"

namespace railgauge {
namespace {

// What to do about a file system that refuses, in words for the flag that chose the directory.
std::string AdviceFor(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "Free space there, or choose another directory with --output=DIR";
    case EACCES:
    case EPERM:
    case EROFS:
      return "Choose a directory that you may write with --output=DIR";
    case ENOTDIR:
    case EEXIST:
      return "Choose another directory with --output=DIR";
    default:
      return "";
  }
}

Error OutputError(int error_number, std::string operation, std::string object) {
  return ErrnoError(error_number, std::move(operation), std::move(object), AdviceFor(error_number));
}

// Makes `path`, or accepts it where it is an empty directory.
Status MakeDirectory(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path parent = fs::path(path).parent_path();
  if (!parent.empty()) fs::create_directories(parent, error);
  // create_directories reports a file in the way differently across versions; mkdir decides.
  if (::mkdir(path.c_str(), 0777) == 0) return {};
  const int mkdir_error = errno;
  if (mkdir_error != EEXIST) {
    return Fail(OutputError(mkdir_error == ENOENT && error ? error.value() : mkdir_error,
                            "create run directory", path));
  }
  if (!fs::is_directory(path, error)) {
    return Fail(OutputError(ENOTDIR, "create run directory", path));
  }
  const bool empty = fs::is_empty(path, error);
  if (error) return Fail(OutputError(error.value(), "read directory", path));
  if (!empty) {
    return Fail(
        MakeError("create run directory", path, "it exists and is not empty",
                  "Choose another directory with --output=DIR; a run is never overwritten"));
  }
  return {};
}

}  // namespace

std::string MakeRunId(std::chrono::system_clock::time_point start, uint32_t random) {
  const std::time_t seconds =
      std::chrono::system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(start));
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z-{:04x}", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     random & 0xffff);
}

Result<RunDirectory> RunDirectory::Create(const RunIdentity& run, const std::string& path) {
  std::string directory = path.empty() ? "results/run-" + run.run_id : path;
  while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
  RAILGAUGE_RETURN_IF_ERROR(CheckOutputPath(directory, "create run directory"));
  RAILGAUGE_RETURN_IF_ERROR(MakeDirectory(directory));
  const std::string samples = directory + "/" + std::string(FileNameOf<Sample>());
  UniqueFd fd(::open(samples.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
  if (!fd.valid()) return Fail(OutputError(errno, "create", samples));
  RunDirectory made(run, std::move(directory), std::move(fd));
  RAILGAUGE_RETURN_IF_ERROR(made.AppendWhole(CsvHeader<Sample>()));
  return made;
}

Status RunDirectory::Append(const Sample& sample) { return AppendWhole(CsvRow(run_, sample)); }

Status RunDirectory::AppendWhole(std::string_view text) {
  const off_t before = ::lseek(samples_.get(), 0, SEEK_END);
  while (!text.empty()) {
    const ssize_t n = ::write(samples_.get(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error_number = errno;
      // A half row would make the next one unreadable. Should this fail too, the reader still drops
      // an unfinished last line.
      if (before >= 0) static_cast<void>(::ftruncate(samples_.get(), before) == 0);
      return Fail(
          OutputError(error_number, "write", path_ + "/" + std::string(FileNameOf<Sample>())));
    }
    text.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

Status RunDirectory::WriteFile(std::string_view name, std::string_view content) {
  Status status = WriteFileAtomically(path_ + "/" + std::string(name), content);
  if (!status) {
    const std::string advice = AdviceFor(status.error().error_number);
    if (!advice.empty()) status.error().advice = advice;
  }
  return status;
}

}  // namespace railgauge
