// Executor: the thread that lets time pass on the emulated devices.
//
// Completions must appear when they are due, also on a machine whose other CPU is spinning in the
// application: the thread sleeps to an absolute time with the least timer slack, and spins for the
// last few microseconds only where there is more than one CPU.
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_EXECUTOR_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_EXECUTOR_H_

#include <pthread.h>

#include <cstdint>
#include <functional>

#include "lib/base/units.h"
#include "lib/emulator/device/device.h"
#include "lib/emulator/preload/wake_word.h"

namespace railgauge {

class Executor {
 public:
  // `publish` is called when counters may have moved, every few milliseconds at most. `wake`, where
  // one is given, is used in place of an own one, and outlives the executor.
  explicit Executor(std::function<void()> publish, WakeWord* wake = nullptr)
      : publish_(std::move(publish)), wake_(wake == nullptr ? own_wake_ : *wake) {}
  // It never ends: the process does.
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // CLOCK_MONOTONIC.
  static Nanoseconds Now();

  // Starts the thread; `fabric` lives from here on. `before_poll`, where there is one, is called
  // before each Poll and after each wake. False when no thread could be made.
  bool Start(efa::Fabric* fabric, std::function<void()> before_poll = {});

  // Something became due earlier than the last Poll said. Any thread, also before Start.
  void Wake() { wake_.Wake(); }

 private:
  static void* Run(void* executor);
  void Loop();
  void WaitUntil(Nanoseconds deadline, uint32_t seen);

  const std::function<void()> publish_;
  std::function<void()> before_poll_;
  efa::Fabric* fabric_ = nullptr;
  bool can_spin_ = false;
  pthread_t thread_ = {};
  WakeWord own_wake_;
  WakeWord& wake_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_EXECUTOR_H_
