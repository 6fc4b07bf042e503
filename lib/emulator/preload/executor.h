// Executor: the thread that lets time pass on the emulated devices.
//
// Completions must appear when they are due, also on a machine whose other CPU is spinning in the
// application: the thread sleeps to an absolute time with the least timer slack, and spins for the
// last few microseconds only where there is more than one CPU.
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_EXECUTOR_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_EXECUTOR_H_

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "lib/base/units.h"
#include "lib/emulator/device/device.h"
#include "lib/emulator/preload/counter_files.h"

namespace railgauge {

class Executor {
 public:
  explicit Executor(CounterFiles* counters) : counters_(*counters) {}
  // It never ends: the process does.
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // CLOCK_MONOTONIC.
  static Nanoseconds Now();

  // Starts the thread; `fabric` lives from here on. False when no thread could be made.
  bool Start(efa::Fabric* fabric);

  // Something became due earlier than the last Poll said. Any thread, also before Start.
  void Wake();

 private:
  static void* Run(void* executor);
  void Loop();
  void WaitUntil(Nanoseconds deadline, uint32_t seen);

  CounterFiles& counters_;
  efa::Fabric* fabric_ = nullptr;
  bool can_spin_ = false;
  pthread_t thread_ = {};
  std::atomic<uint32_t> wakes_{0};  // a futex
  std::atomic<bool> asleep_{false};
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_EXECUTOR_H_
