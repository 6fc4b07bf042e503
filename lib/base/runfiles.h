// Where the files are that a binary of this project needs at run time: other binaries, scenarios.
//
// Named by their path in the repository ("scenarios", "lib/emulator/launcher/emulate"). Found in
// Bazel's runfiles, whether Bazel runs the binary or a person does, and in an installed tree that
// keeps those paths below the binary's own folder or below ../share/railgauge.
#ifndef RAILGAUGE_LIB_BASE_RUNFILES_H_
#define RAILGAUGE_LIB_BASE_RUNFILES_H_

#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace railgauge {

// The absolute path of the file or folder `path`. `argv0` helps where the binary was reached
// through a symbolic link in another binary's runfiles.
Result<std::string> FindDataFile(std::string_view path, std::string_view argv0 = "");

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_BASE_RUNFILES_H_
