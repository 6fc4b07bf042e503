#include "lib/emulator/launcher/surroundings.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdlib>

#include "fmt/core.h"
#include "lib/base/units.h"

namespace railgauge {
namespace {

Status LimitMemlock(Bytes limit) {
  rlimit held = {};
  getrlimit(RLIMIT_MEMLOCK, &held);
  const rlimit wanted = {.rlim_cur = limit.count, .rlim_max = limit.count};
  // What root executes gets every capability that the bounding set holds.
  if (prctl(PR_CAPBSET_DROP, CAP_IPC_LOCK, 0, 0, 0) != 0 && errno != EPERM && errno != EINVAL) {
    return Fail(ErrnoError(errno, "drop", "CAP_IPC_LOCK"));
  }
  if (setrlimit(RLIMIT_MEMLOCK, &wanted) == 0) return {};
  return Fail(ErrnoError(
      errno, "set RLIMIT_MEMLOCK", FormatBytes(limit),
      fmt::format("The limit here is {} and cannot be raised", FormatBytes(Bytes{held.rlim_max}))));
}

}  // namespace

Status EnterSurroundings(const EmulatedSurroundings& surroundings) {
  if (surroundings.cuda_visible_devices) {
    setenv("CUDA_VISIBLE_DEVICES", surroundings.cuda_visible_devices->c_str(), 1);
  }
  if (surroundings.memlock) return LimitMemlock(*surroundings.memlock);
  return {};
}

}  // namespace railgauge
