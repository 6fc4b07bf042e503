#include "lib/emulator/preload/executor.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {

namespace {

constexpr Nanoseconds kForever = Nanoseconds::max();
constexpr Nanoseconds kPublishInterval{5'000'000};
// Woken this much before the time, to spin for the rest: what a timer is late by on an idle CPU.
constexpr Nanoseconds kSpin{5'000};

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("yield");
#endif
}

// The thread stands for hardware, which nothing keeps waiting: as high as the process may go, and
// with a short slice (Linux 6.12), which is what lets a thread that woke up run at once.
void BecomeUrgent() {
  struct {
    uint32_t size = 56, policy = 0;  // SCHED_OTHER
    uint64_t flags = 0;
    int32_t nice = -20;
    uint32_t priority = 0;
    uint64_t slice_ns = 100'000, deadline = 0, period = 0;
    uint32_t util_min = 0, util_max = 0;
  } attributes;
  if (RawSyscall(SYS_sched_setattr, 0, &attributes, 0) == 0) return;
  attributes.nice = 0;  // without CAP_SYS_NICE
  RawSyscall(SYS_sched_setattr, 0, &attributes, 0);
}

// The CPUs of this host that a thread may run on.
struct RealCpus {
  unsigned long mask[16] = {};

  static RealCpus OfCaller() {
    RealCpus cpus;
    RawSyscall(SYS_sched_getaffinity, 0, sizeof cpus.mask, &cpus.mask[0]);
    return cpus;
  }
  void PinCaller() const { RawSyscall(SYS_sched_setaffinity, 0, sizeof mask, &mask[0]); }
  int Count() const {
    int count = 0;
    for (const unsigned long word : mask) count += __builtin_popcountl(word);
    return count;
  }
  // Takes the last CPU out of these.
  RealCpus SplitLast() {
    RealCpus last;
    for (size_t word = std::size(mask); word-- > 0;) {
      if (mask[word] == 0) continue;
      last.mask[word] = 1ul << (63 - __builtin_clzl(mask[word]));
      mask[word] &= ~last.mask[word];
      break;
    }
    return last;
  }
};

}  // namespace

Nanoseconds Executor::Now() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::chrono::seconds(now.tv_sec) + Nanoseconds(now.tv_nsec);
}

bool Executor::Start(efa::Fabric* fabric, std::function<void()> before_poll) {
  fabric_ = fabric;
  before_poll_ = std::move(before_poll);
  RealCpus cpus = RealCpus::OfCaller();
  can_spin_ = cpus.Count() > 1;
  // Signals are the application's; faults are for the copy that meets unmapped memory.
  uint64_t all = ~uint64_t{0}, before = 0;
  for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) all &= ~(uint64_t{1} << (fault - 1));
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
  // Hardware takes no CPU from the application. Left to itself, the scheduler often wakes the
  // executor on the CPU of the application's spinning thread although the other one is idle: with
  // one of two CPUs busy it does not look for an idle one (SIS_UTIL).
  if (can_spin_) cpus.SplitLast().PinCaller();
  const int error = pthread_create(&thread_, nullptr, Run, this);
  if (can_spin_) cpus.PinCaller();
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof before);
  if (error == 0) pthread_detach(thread_);
  return error == 0;
}

void* Executor::Run(void* executor) {
  RawSyscall(SYS_prctl, PR_SET_NAME, "efa-emulated");
  RawSyscall(SYS_prctl, PR_SET_TIMERSLACK, 1);
  BecomeUrgent();
  static_cast<Executor*>(executor)->Loop();
  return nullptr;
}

void Executor::Loop() {
  Nanoseconds published = Now();
  bool moved = false;  // something may have, since the counters were published
  for (;;) {
    const uint32_t seen = wake_.wakes.load();
    if (before_poll_) before_poll_();
    const std::optional<Nanoseconds> next = fabric_->Poll();
    const Nanoseconds now = Now();
    moved = moved || next.has_value();
    if (moved && now - published >= kPublishInterval) {
      publish_();
      published = now;
      moved = next.has_value();
    }
    Nanoseconds deadline = next.value_or(kForever);
    if (moved) deadline = std::min(deadline, published + kPublishInterval);
    WaitUntil(deadline, seen);
    // What wakes us was a doorbell.
    moved = moved || wake_.wakes.load() != seen;
  }
}

void Executor::WaitUntil(Nanoseconds deadline, uint32_t seen) {
  const Nanoseconds spin = can_spin_ ? kSpin : Nanoseconds(0);
  if (deadline == kForever || Now() + spin < deadline) {
    timespec until = {};
    if (deadline != kForever) {
      const Nanoseconds at = deadline - spin;
      until.tv_sec = at.count() / 1'000'000'000;
      until.tv_nsec = at.count() % 1'000'000'000;
    }
    wake_.Sleep(seen, deadline == kForever ? nullptr : &until);
  }
  if (deadline == kForever) return;
  while (wake_.wakes.load(std::memory_order_relaxed) == seen && Now() < deadline) Pause();
}

}  // namespace railgauge
