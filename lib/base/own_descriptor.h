// The open files of this process by the names that the system gives them.
#ifndef RAILGAUGE_LIB_BASE_OWN_DESCRIPTOR_H_
#define RAILGAUGE_LIB_BASE_OWN_DESCRIPTOR_H_

#include <optional>
#include <string_view>

namespace railgauge {

// 1 of "/dev/stdout", 5 of "/dev/fd/5" or "/proc/self/fd/5"; nothing of any other path. Opened by
// such a name, a regular file would be another open file, which knows nothing of the first one's
// position; and what replaces a file by its name would replace it under whoever holds it.
std::optional<int> OwnDescriptor(std::string_view path);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_BASE_OWN_DESCRIPTOR_H_
