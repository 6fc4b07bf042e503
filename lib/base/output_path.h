// Where a result may not be written: in file systems whose files are not kept.
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

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_BASE_OUTPUT_PATH_H_
