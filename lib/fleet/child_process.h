// ChildProcess: a program that this process started, in a process group of its own, with its output
// in a file. What was started ends at the latest with this object.
#ifndef RAILGAUGE_LIB_FLEET_CHILD_PROCESS_H_
#define RAILGAUGE_LIB_FLEET_CHILD_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/result.h"

namespace railgauge {

class ChildProcess {
 public:
  // Runs argv[0], found in PATH. Its stdin is empty; stdout and stderr are appended to the file
  // `log`, which is made for the owner alone.
  static Result<ChildProcess> Start(const std::vector<std::string>& argv, const std::string& log);

  ChildProcess(ChildProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), status_(other.status_) {}
  ChildProcess& operator=(ChildProcess&&) = delete;
  // Kills what is left of its group.
  ~ChildProcess();

  // Without waiting: how it ended, as a shell says it (128 + N for signal N); empty while it runs.
  std::optional<int> Poll();

  // Asks it alone to end (SIGTERM): a launcher passes that on, and what it started must not get it
  // twice. And ends the whole group at once.
  void Terminate() const;
  void Kill() const;

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  pid_t pid_;  // -1 once it was moved from
  std::optional<int> status_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_CHILD_PROCESS_H_
