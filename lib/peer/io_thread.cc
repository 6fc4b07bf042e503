#include "lib/peer/io_thread.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <limits>
#include <utility>

namespace railgauge {

Result<Waker> Waker::Create() {
  Waker waker;
  waker.fd_ = UniqueFd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!waker.fd_.valid()) return Fail(ErrnoError(errno, "eventfd"));
  return waker;
}

void Waker::Wake() const {
  const uint64_t one = 1;
  // Fails only when it is woken 2^64 times over already.
  (void)!::write(fd_.get(), &one, sizeof(one));
}

void Waker::Clear() const {
  uint64_t count = 0;
  (void)!::read(fd_.get(), &count, sizeof(count));
}

std::thread StartIoThread(std::function<void()> run) {
  sigset_t blocked;
  sigset_t before;
  sigfillset(&blocked);
  // Those that the thread's own instructions raise stay what they are.
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&blocked, own);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);  // a new thread inherits it
  std::thread thread(std::move(run));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

int PollTimeout(LinkClock::time_point now, LinkClock::time_point when) {
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(when - now).count();
  return static_cast<int>(std::clamp<int64_t>(wait, 0, std::numeric_limits<int>::max()));
}

}  // namespace railgauge
