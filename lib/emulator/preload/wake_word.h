// WakeWord: how the thread that lets time pass is told that there is something to do.
//
// Two words, which may lie in memory that several processes map: there is no lock that a killed
// process could leave held. Zeroed memory is a valid one.
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_WAKE_WORD_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_WAKE_WORD_H_

#include <linux/futex.h>
#include <time.h>

#include <atomic>
#include <cstdint>

#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {

struct WakeWord {
  std::atomic<uint32_t> wakes{0};   // a futex, not a private one
  std::atomic<uint32_t> asleep{0};  // 1 while the one thread that waits does

  // Any thread of any process, also in a signal handler. No system call while nobody sleeps.
  void Wake() {
    wakes.fetch_add(1);
    if (asleep.load() != 0) RawSyscall(SYS_futex, &wakes, FUTEX_WAKE, 1);
  }

  // Until woken since `seen` was read, or until CLOCK_MONOTONIC is `until`; null: without end.
  void Sleep(uint32_t seen, const timespec* until) {
    asleep.store(1);
    RawSyscall(SYS_futex, &wakes, FUTEX_WAIT_BITSET, seen, until, nullptr, FUTEX_BITSET_MATCH_ANY);
    asleep.store(0);
  }
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_WAKE_WORD_H_
