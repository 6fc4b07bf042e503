// FileError: what went wrong with a file that somebody named, with what to do about it. One table
// says that for every errno, so that no reader and no writer of files has advice of its own.
#ifndef RAILGAUGE_LIB_BASE_FILE_ERROR_H_
#define RAILGAUGE_LIB_BASE_FILE_ERROR_H_

#include <string>

#include "lib/base/result.h"

namespace railgauge {

enum class FileUse { kRead, kWrite };

// ErrnoError of `operation` on `path`; `advice`, where the caller knows better than the table.
Error FileError(FileUse use, int error_number, std::string operation, std::string path,
                std::string advice = "");

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_BASE_FILE_ERROR_H_
