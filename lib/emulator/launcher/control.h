// The control socket of an emulated machine: a Unix socket on which faults are switched.
//
// A client sends one line and gets one line back (fault_switches.h). Whatever a client sends, or
// does not send, costs its connection and nothing else.
#ifndef RAILGAUGE_LIB_EMULATOR_LAUNCHER_CONTROL_H_
#define RAILGAUGE_LIB_EMULATOR_LAUNCHER_CONTROL_H_

#include <functional>
#include <string>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"

namespace railgauge {

class ControlSocket {
 public:
  // At `path`, which must not exist; only its owner can connect.
  static Result<ControlSocket> Listen(const std::string& path);

  // Readable when a client waits.
  int fd() const { return fd_.get(); }
  // Answers one client, if there is one, by `tell`. Takes a second at most, but for `tell`.
  void Answer(const std::function<std::string(const std::string&)>& tell) const;
  // Takes it out of the file system; it is of no more use.
  void Remove() const;

 private:
  ControlSocket(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_;
  UniqueFd fd_;
};

// Sends one line to the socket at `path`; what came back. Takes some seconds at most.
Result<std::string> TellControl(const std::string& path, const std::string& line);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_LAUNCHER_CONTROL_H_
