#include "lib/topology/trial.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "lib/base/unique_fd.h"

namespace railgauge {
namespace {

[[noreturn]] void RunChild(const std::function<bool()>& function, int result_fd) {
  const int null_fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null_fd >= 0) ::dup2(null_fd, STDERR_FILENO);
  // A crash is an answer here: no core file, and no handler of the parent's (a sanitizer's report).
  const struct rlimit no_core = {};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) ::signal(signal, SIG_DFL);
  const char answer = function() ? 1 : 0;
  const ssize_t written = ::write(result_fd, &answer, 1);
  ::_exit(written == 1 ? 0 : 1);
}

// Waits for the child's byte, or for the end of the pipe, which is the end of the child.
TrialOutcome Await(int result_fd, std::chrono::milliseconds deadline) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + deadline;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    struct pollfd ready = {result_fd, POLLIN, 0};
    const int count = ::poll(&ready, 1, static_cast<int>(std::max<int64_t>(0, left.count())));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return TrialOutcome::kLate;
    char answer = 0;
    const ssize_t size = ::read(result_fd, &answer, 1);
    if (size < 0 && errno == EINTR) continue;
    if (size != 1) return TrialOutcome::kDied;
    return answer != 0 ? TrialOutcome::kTrue : TrialOutcome::kFalse;
  }
}

}  // namespace

Result<TrialOutcome> TryInChild(const std::function<bool()>& function,
                                std::chrono::milliseconds deadline) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Fail(ErrnoError(errno, "create a pipe"));
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return Fail(ErrnoError(errno, "fork"));
  if (child == 0) RunChild(function, write_end.get());
  write_end.Reset();
  const TrialOutcome outcome = Await(read_end.get(), deadline);
  ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return outcome;
}

}  // namespace railgauge
