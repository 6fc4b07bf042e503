#include "lib/emulator/launcher/controlled_run.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "lib/base/unique_fd.h"
#include "lib/emulator/launcher/child.h"
#include "lib/emulator/launcher/environment.h"
#include "lib/emulator/launcher/machine_file.h"

namespace railgauge {
namespace {

// The file that processes on the machine look at (preload/switch_watcher.h).
class Publisher {
 public:
  static Result<Publisher> Create() {
    UniqueFd file(open(kSwitchesFile, O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file.valid()) return Fail(ErrnoError(errno, "make", kSwitchesFile));
    Publisher publisher(std::move(file));
    publisher.Count();
    return publisher;
  }

  // The machine first and whole, then the number.
  Status Publish(const EmulatedMachine& machine) {
    const std::string path = std::string(kMachineFile) + ".new";
    std::ofstream file(path, std::ios::binary);
    file << SerializeMachine(machine) << std::flush;
    if (!file || std::rename(path.c_str(), kMachineFile) != 0) {
      return Fail(MakeError("write", kMachineFile, "the file cannot be written"));
    }
    ++generation_;
    Count();
    return {};
  }

 private:
  explicit Publisher(UniqueFd file) : file_(std::move(file)) {}
  void Count() {
    if (pwrite(file_.get(), &generation_, sizeof generation_, 0) < 0) {
      std::perror(kSwitchesFile);
    }
  }

  UniqueFd file_;
  uint64_t generation_ = 0;
};

}  // namespace

Error RunUnderControl(const ControlSocket& control, FaultSwitches switches,
                      const MachineOptions& options, const std::string& argv0,
                      const std::function<int()>& execute) {
  if (auto entered = EnterMachine(switches.machine(), options, argv0); !entered) {
    return entered.error();
  }
  auto publisher = Publisher::Create();
  if (!publisher) return publisher.error();
  auto child = Child::Start(execute);
  if (!child) return child.error();
  const auto tell = [&](const std::string& line) {
    const FaultSwitches::Answer answer = switches.Tell(line);
    if (!answer.changed) return answer.line;
    const Status published = publisher->Publish(switches.machine());
    return published ? answer.line : published.error().ToString();
  };
  while (!child->HandleSignals()) {
    pollfd ready[] = {{.fd = child->signals(), .events = POLLIN, .revents = 0},
                      {.fd = control.fd(), .events = POLLIN, .revents = 0}};
    if (poll(&ready[0], std::size(ready), -1) > 0 && ready[1].revents != 0) control.Answer(tell);
  }
  control.Remove();
  child->EndAsItDid();
}

}  // namespace railgauge
