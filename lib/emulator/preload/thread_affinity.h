// ThreadAffinity: which emulated CPUs each thread may run on.
//
// Threads are really scheduled as before, but for the CPU that the executor has to itself
// (executor.cc): this host has other CPUs. What counts is that pinning to a CPU of the emulated
// machine succeeds and can be read back, and that the thread's node is that of its CPUs. A new
// thread starts with all CPUs (it does not inherit: its creation is not seen).
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_THREAD_AFFINITY_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_THREAD_AFFINITY_H_

#include <pthread.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "lib/emulator/preload/index_set.h"

namespace railgauge {

class ThreadAffinity {
 public:
  explicit ThreadAffinity(const IndexSet& all) : all_(all) {}

  // A thread is named by its kernel id or by its pthread_t; the running one by both.
  struct Thread {
    std::optional<pid_t> id;
    std::optional<pthread_t> handle;
  };

  // EINVAL (negative) when no CPU of the machine is in `cpus`.
  int Set(const Thread& thread, const IndexSet& cpus);
  IndexSet Get(const Thread& thread) const;

 private:
  struct Entry {
    uint64_t sequence = 0;  // the later of two entries for one thread counts
    IndexSet cpus;
  };

  const IndexSet all_;
  mutable std::mutex mutex_;
  uint64_t sequence_ = 0;
  std::map<pid_t, Entry> by_id_;
  std::map<pthread_t, Entry> by_handle_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_THREAD_AFFINITY_H_
