#include "cli/interrupt.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace railgauge {
namespace {

volatile std::sig_atomic_t interrupted = 0;

// No for a file, and for a standard output that is closed.
bool ReaderHasGone() {
  pollfd output = {STDOUT_FILENO, 0, 0};
  return ::poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

}  // namespace

void CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  // SA_RESETHAND: the second signal finds the default action. No SA_RESTART, so that a wait ends.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGHUP, &action, nullptr);  // the terminal or the connection is gone
}

void InterruptAfter(std::chrono::seconds time) {
  constexpr unsigned kGraceSeconds = 15;
  struct sigaction action = {};
  action.sa_handler = [](int) {
    interrupted = 1;
    ::alarm(kGraceSeconds);
  };
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one ends the process
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGALRM, &action, nullptr);
  ::alarm(static_cast<unsigned>(std::max<std::chrono::seconds::rep>(time.count(), 1)));
}

bool Interrupted() {
  if (interrupted == 0 && ReaderHasGone()) interrupted = 1;
  return interrupted != 0;
}

}  // namespace railgauge
