// Child: a command in a process of its own, for a launcher that has to stay.
//
// Signals to the launcher go on to the command, and the launcher ends as the command did, so that
// whoever started the launcher sees no difference. When the launcher is killed the command is, too.
#ifndef RAILGAUGE_LIB_EMULATOR_LAUNCHER_CHILD_H_
#define RAILGAUGE_LIB_EMULATOR_LAUNCHER_CHILD_H_

#include <sys/types.h>

#include <functional>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"

namespace railgauge {

class Child {
 public:
  // Forks; one thread only. `run` is the child's: it ends in execvp(), or returns an exit status.
  static Result<Child> Start(const std::function<int()>& run);

  // For the child, last before execvp(): to be killed when the launcher dies.
  static void DieWithParent(pid_t parent);

  // Readable when there is something for HandleSignals.
  int signals() const { return signals_.get(); }
  // True when the child has ended.
  bool HandleSignals();
  void Kill() const;
  // After the child has ended.
  [[noreturn]] void EndAsItDid() const;

 private:
  Child(pid_t pid, UniqueFd signals) : pid_(pid), signals_(std::move(signals)) {}
  pid_t pid_;
  UniqueFd signals_;
  int status_ = 0;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_LAUNCHER_CHILD_H_
