// Whole small files: read with a limit, and written so that a reader sees the old or the new
// content, never half of it.
#ifndef RAILGAUGE_LIB_BASE_FILE_H_
#define RAILGAUGE_LIB_BASE_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace railgauge {

// The content of the file at `path`. Works for sysfs and procfs, whose files have no size.
// A directory, more than `max_bytes`, and a pipe or a device that is silent for 10 s is an error.
Result<std::string> ReadFile(const std::string& path, size_t max_bytes = size_t{256} << 20);

// As ReadFile; a pipe or a device is an error: for what somebody recorded.
Result<std::string> ReadRegularFile(const std::string& path, size_t max_bytes = size_t{256} << 20);

// An Error where `path` is there and no regular file.
Status CheckRegularFile(const std::string& path);

// As ReadFile, without the line end and blanks around: what a sysfs attribute holds.
Result<std::string> ReadAttribute(const std::string& path);

// Replaces the file at `path` by `content`: a temporary file beside it, fsync, rename(2). A
// symbolic link is followed. What is there and no regular file (a device, a pipe with a reader) is
// written to as it is; so is what this process has open ("/dev/stdout", own_descriptor.h), since
// replacing it would take it from everybody. Where files are not kept (output_path.h) is an error.
Status WriteFileAtomically(const std::string& path, std::string_view content);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_BASE_FILE_H_
