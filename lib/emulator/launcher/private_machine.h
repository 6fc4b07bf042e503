// EnterPrivateMachine: lets this process, and what it executes, see another machine's /sys and
// /proc files.
#ifndef RAILGAUGE_LIB_EMULATOR_LAUNCHER_PRIVATE_MACHINE_H_
#define RAILGAUGE_LIB_EMULATOR_LAUNCHER_PRIVATE_MACHINE_H_

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "lib/base/result.h"

namespace railgauge {

struct PrivateMachineOptions {
  // Run as this user of a new user namespace. Empty: as who we are; a user namespace is made only
  // where mounting is not allowed otherwise.
  std::optional<uid_t> user;
  // Where not empty: the machine has a UTS namespace with this host name.
  std::string host_name;
};

// Makes a private mount namespace (and user namespace, see above), has `write_tree` fill an empty
// tmpfs (which hides /sys meanwhile), and binds its sys/ over /sys and every file below its proc/
// over the same file of /proc. All of it vanishes with the last process in it. Call with one thread
// only. A failure may leave the process in the namespaces: exit.
Status EnterPrivateMachine(const PrivateMachineOptions& options,
                           const std::function<Status(const std::string& root)>& write_tree);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_LAUNCHER_PRIVATE_MACHINE_H_
