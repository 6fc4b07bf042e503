// The control socket of an emulated machine: a Unix socket on which faults are switched.
//
// A client sends one line and gets one line back (fault_switches.h). Whatever a client sends, or
// does not send, costs its connection and nothing else.
#ifndef RAILGAUGE_LIB_EMULATOR_LAUNCHER_CONTROL_H_
#define RAILGAUGE_LIB_EMULATOR_LAUNCHER_CONTROL_H_

#include <sys/types.h>

#include <functional>
#include <string>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"

namespace railgauge {

// The socket at `path`, which must not exist; only its owner can connect.
Result<UniqueFd> ListenForControl(const std::string& path);

// Answers lines by `tell` until the process `child`, a child of ours, ends. Signals that would end
// this process are the child's. Returns wait(2)'s status of it.
int ServeControl(const UniqueFd& socket, pid_t child,
                 const std::function<std::string(const std::string&)>& tell);

// Sends one line to the socket at `path`; what came back. Takes some seconds at most.
Result<std::string> TellControl(const std::string& path, const std::string& line);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_LAUNCHER_CONTROL_H_
