// FileId: which file a path names, so that two paths to one file are told from two files: through
// symbolic links, hard links and "..", and also where the file is still to be made.
#ifndef RAILGAUGE_LIB_BASE_FILE_ID_H_
#define RAILGAUGE_LIB_BASE_FILE_ID_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace railgauge {

struct FileId {
  uint64_t device = 0, inode = 0;  // of a file that is there
  std::string place;               // the canonical path of one that is not
  bool is_there() const { return place.empty(); }

  auto operator<=>(const FileId&) const = default;
};

// Nothing for what can be written without a loss, or is no file: devices, pipes and folders. Nor
// for standard output by its names, which whoever redirected it may know; what else this process
// has open may be named by its descriptor ("/dev/fd/9").
std::optional<FileId> FileIdOf(const std::string& path);

// The file that is open as `fd`, where it is a regular one.
std::optional<FileId> FileIdOf(int fd);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_BASE_FILE_ID_H_
