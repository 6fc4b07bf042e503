// Where a thread runs: near the NIC that it drives, on the CPUs of that NIC's NUMA node.
#ifndef RAILGAUGE_LIB_MEASURE_AFFINITY_H_
#define RAILGAUGE_LIB_MEASURE_AFFINITY_H_

#include <sched.h>

#include <cstdint>
#include <span>
#include <vector>

#include "lib/base/result.h"

namespace railgauge {

// Moves the calling thread, and puts it back where it may run before when destroyed (by the same
// thread).
class ThreadAffinity {
 public:
  ThreadAffinity();
  ~ThreadAffinity();
  ThreadAffinity(const ThreadAffinity&) = delete;
  ThreadAffinity& operator=(const ThreadAffinity&) = delete;

  // Lets the calling thread run on these CPUs (OS indexes) only. Fails when none of them is there
  // or allowed (cpuset), and the thread then stays where it was.
  Status PinTo(std::span<const uint32_t> cpus);

 private:
  std::vector<cpu_set_t> before_;  // one bit array over several; empty: not known
  bool moved_ = false;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_AFFINITY_H_
