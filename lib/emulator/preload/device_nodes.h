// The uverbs nodes of /dev/infiniband, which no filesystem has: their names, numbers and
// permission.
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_DEVICE_NODES_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_DEVICE_NODES_H_

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace railgauge {

// The N of /dev/infiniband/uverbsN or of its /dev/char/MAJOR:MINOR. Whether there is such a node is
// another question.
std::optional<size_t> UverbsNodeOf(const char* path);

// Whether this process is on an emulated machine at all; constant.
bool IsEmulated();

// What stat(2) says of node `index`: 0, or ENOENT (negative) when the emulated machine lacks it.
int StatUverbsNode(size_t index, struct stat* result);

// Whether a process with `uid` and `gid` may do `wanted` (R_OK | W_OK) with a node of root of that
// mode.
bool MayAccess(mode_t mode, uid_t uid, gid_t gid, int wanted);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_DEVICE_NODES_H_
