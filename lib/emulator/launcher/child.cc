#include "lib/emulator/launcher/child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace railgauge {

namespace {

constexpr int kPassedOn[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

sigset_t HandledSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (const int number : kPassedOn) sigaddset(&set, number);
  return set;
}

}  // namespace

Result<Child> Child::Start(const std::function<int()>& run) {
  const sigset_t handled = HandledSignals();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &handled, &before);
  UniqueFd signals(signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals.valid()) return Fail(ErrnoError(errno, "signalfd", "the launcher"));
  const pid_t pid = fork();
  if (pid < 0) return Fail(ErrnoError(errno, "fork", "the command"));
  if (pid == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    _exit(run());
  }
  return Child(pid, std::move(signals));
}

void Child::DieWithParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(EXIT_FAILURE);  // it died before
}

bool Child::HandleSignals() {
  signalfd_siginfo info = {};
  while (read(signals_.get(), &info, sizeof info) == sizeof info) {
    const auto number = static_cast<int>(info.ssi_signo);
    // What a terminal sends it sends to all of its processes.
    if (number != SIGCHLD && info.ssi_code != SI_KERNEL) kill(pid_, number);
  }
  return waitpid(pid_, &status_, WNOHANG) == pid_;
}

void Child::Kill() const { kill(pid_, SIGKILL); }

void Child::EndAsItDid() const {
  if (WIFEXITED(status_)) _exit(WEXITSTATUS(status_));
  const int number = WTERMSIG(status_);
  const rlimit no_second_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_second_core);
  signal(number, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  raise(number);
  constexpr int kKilledBySignal = 128;  // as shells count
  _exit(kKilledBySignal + number);
}

}  // namespace railgauge
