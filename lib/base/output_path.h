// Where a result can be written, told before the work that makes it: not in file systems whose
// files are not kept, and not where a folder is missing or closed.
#ifndef RAILGAUGE_LIB_BASE_OUTPUT_PATH_H_
#define RAILGAUGE_LIB_BASE_OUTPUT_PATH_H_

#include <string>

#include "lib/base/result.h"

namespace railgauge {

// Whether a file or folder at `path`, which need not exist yet, would lie below /sys or /proc (the
// kernel's, not a disk's: what can be made there at all is gone with its mount), or below
// /run/cloud-init (cloud-init's own, rewritten at every boot). Links and ".." are followed. A
// device or a pipe that exists is no file of theirs: /proc/self/fd/1 may be written to. `what` is
// the operation of the Error: "write --csv_out".
Status CheckOutputPath(const std::string& path, const std::string& what);

// Whether WriteFileAtomically (file.h) would get as far as to write: as CheckOutputPath, and the
// folder is there, this process may make files in it, and the path is no folder. A full disk shows
// only later. Nothing is made or opened, since opening a pipe tells its reader something.
Status CheckCanWrite(const std::string& path, const std::string& what);

// Whether a folder at `path` could be made with those above it, or is there and open for files.
Status CheckCanMakeFolder(const std::string& path, const std::string& what);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_BASE_OUTPUT_PATH_H_
