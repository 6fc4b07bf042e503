#include "lib/measure/affinity.h"

#include <algorithm>
#include <cerrno>

namespace railgauge {
namespace {

// Arrays of cpu_set_t, each of CPU_SETSIZE bits: enough for the kernel's largest NR_CPUS (8192).
constexpr size_t kSets = 8192 / CPU_SETSIZE;

}  // namespace

ThreadAffinity::ThreadAffinity() : before_(kSets) {
  if (sched_getaffinity(0, kSets * sizeof(cpu_set_t), before_.data()) != 0) before_.clear();
}

ThreadAffinity::~ThreadAffinity() {
  if (moved_ && !before_.empty()) {
    (void)sched_setaffinity(0, kSets * sizeof(cpu_set_t), before_.data());
  }
}

Status ThreadAffinity::PinTo(std::span<const uint32_t> cpus) {
  uint32_t highest = 0;
  for (const uint32_t cpu : cpus) highest = std::max(highest, cpu);
  std::vector<cpu_set_t> sets(std::max(kSets, size_t{highest} / CPU_SETSIZE + 1));
  for (const uint32_t cpu : cpus) CPU_SET(cpu % CPU_SETSIZE, &sets[cpu / CPU_SETSIZE]);
  if (sched_setaffinity(0, sets.size() * sizeof(cpu_set_t), sets.data()) != 0) {
    return Fail(ErrnoError(errno, "sched_setaffinity", "", "None of these CPUs is allowed here"));
  }
  moved_ = true;
  return {};
}

}  // namespace railgauge
