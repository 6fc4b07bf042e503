// Interposed: syscall (hwloc and libnuma call memory policies by it), and CPU affinity.
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <optional>

#include "lib/emulator/preload/device_nodes.h"
#include "lib/emulator/preload/emulated_process.h"
#include "lib/emulator/preload/interpose.h"
#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {
namespace {

EmulatedProcess* Process() { return IsEmulated() ? EmulatedProcess::Get() : nullptr; }

template <typename T>
T* Pointer(int64_t argument) {
  return reinterpret_cast<T*>(argument);
}

ThreadAffinity::Thread ThreadOf(const EmulatedProcess& process, pid_t id) {
  const ThreadAffinity::Thread self = process.ThisThread();
  if (id == 0 || id == *self.id) return self;
  return {.id = id, .handle = std::nullopt};
}

int64_t SetAffinity(EmulatedProcess& process, const ThreadAffinity::Thread& thread, size_t bytes,
                    const void* mask) {
  if (mask == nullptr) return -EFAULT;
  const auto* words = static_cast<const unsigned long*>(mask);
  return process.affinity().Set(thread, IndexSet::FromMask(words, bytes * 8));
}

// The bytes written, as the system call answers.
int64_t GetAffinity(EmulatedProcess& process, const ThreadAffinity::Thread& thread, size_t bytes,
                    void* mask) {
  if (mask == nullptr) return -EFAULT;
  const size_t needed = (process.CpuLimit() + 63) / 64 * 8;
  if (bytes < needed || bytes % sizeof(unsigned long) != 0) return -EINVAL;
  process.affinity().Get(thread).ToMask(static_cast<unsigned long*>(mask), needed);
  return static_cast<int64_t>(needed);
}

int64_t GetCpu(EmulatedProcess& process, unsigned* cpu, unsigned* node) {
  const uint32_t current = process.CurrentCpu();
  if (cpu != nullptr) *cpu = current;
  if (node != nullptr) *node = process.numa().NodeOfCpu(current);
  return 0;
}

// The calls about places that the emulated machine answers; empty for all others.
std::optional<int64_t> EmulatedCall(long number, const int64_t (&a)[6]) {
  switch (number) {
    case SYS_mbind:
    case SYS_get_mempolicy:
    case SYS_set_mempolicy:
    case SYS_move_pages:
    case SYS_migrate_pages:
    case SYS_sched_setaffinity:
    case SYS_sched_getaffinity:
    case SYS_getcpu:
      break;
    default:
      return std::nullopt;
  }
  EmulatedProcess* process = Process();
  if (process == nullptr) return std::nullopt;
  NumaPlacement& numa = process->numa();
  const ProcessMemory::Here here = process->Here();
  const auto u = [&a](int i) { return static_cast<uint64_t>(a[i]); };
  switch (number) {
    case SYS_mbind:
      return numa.Bind(u(0), u(1), static_cast<int>(a[2]), Pointer<const unsigned long>(a[3]), u(4),
                       static_cast<unsigned>(a[5]), here.node, here.policy);
    case SYS_get_mempolicy:
      return numa.GetPolicy(Pointer<int>(a[0]), Pointer<unsigned long>(a[1]), u(2), u(3),
                            static_cast<unsigned>(a[4]), here.node, here.policy);
    case SYS_set_mempolicy:
      return numa.SetThreadPolicy(static_cast<int>(a[0]), Pointer<const unsigned long>(a[1]), u(2),
                                  &ThreadPolicy());
    case SYS_move_pages:
      if (a[0] != 0 && a[0] != RawSyscall(SYS_getpid)) return -EPERM;  // other processes' pages
      return numa.MovePages(u(1), Pointer<const uint64_t>(a[2]), Pointer<const int>(a[3]),
                            Pointer<int>(a[4]), static_cast<unsigned>(a[5]), here.node,
                            here.policy);
    case SYS_migrate_pages:
      return -EPERM;
    case SYS_sched_setaffinity:
      return SetAffinity(*process, ThreadOf(*process, static_cast<pid_t>(a[0])), u(1),
                         Pointer<const void>(a[2]));
    case SYS_sched_getaffinity:
      return GetAffinity(*process, ThreadOf(*process, static_cast<pid_t>(a[0])), u(1),
                         Pointer<void>(a[2]));
    default:
      return GetCpu(*process, Pointer<unsigned>(a[0]), Pointer<unsigned>(a[1]));
  }
}

}  // namespace
}  // namespace railgauge

using namespace railgauge;  // NOLINT: everything below is a libc function at global scope

RAILGAUGE_INTERPOSED long syscall(long number, ...) noexcept {
  int64_t a[6];
  va_list arguments;
  va_start(arguments, number);
  for (int64_t& argument : a) argument = va_arg(arguments, long);
  va_end(arguments);
  if (const auto answer = EmulatedCall(number, a)) return LibcResult(*answer);
  return LibcResult(RawSyscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

RAILGAUGE_INTERPOSED int sched_setaffinity(pid_t id, size_t bytes, const cpu_set_t* mask) noexcept {
  return static_cast<int>(syscall(SYS_sched_setaffinity, id, bytes, mask));
}

RAILGAUGE_INTERPOSED int sched_getaffinity(pid_t id, size_t bytes, cpu_set_t* mask) noexcept {
  const long written = syscall(SYS_sched_getaffinity, id, bytes, mask);
  if (written < 0) return -1;
  // The system call leaves the rest of a larger mask as it was.
  std::memset(reinterpret_cast<char*>(mask) + written, 0, bytes - static_cast<size_t>(written));
  return 0;
}

RAILGAUGE_INTERPOSED int pthread_setaffinity_np(pthread_t thread, size_t bytes,
                                                const cpu_set_t* mask) noexcept {
  if (thread == pthread_self()) return sched_setaffinity(0, bytes, mask) == 0 ? 0 : errno;
  EmulatedProcess* process = Process();
  if (process == nullptr) return ENOSYS;
  return static_cast<int>(
      -SetAffinity(*process, {.id = std::nullopt, .handle = thread}, bytes, mask));
}

RAILGAUGE_INTERPOSED int pthread_getaffinity_np(pthread_t thread, size_t bytes,
                                                cpu_set_t* mask) noexcept {
  if (thread == pthread_self()) return sched_getaffinity(0, bytes, mask) == 0 ? 0 : errno;
  EmulatedProcess* process = Process();
  if (process == nullptr) return ENOSYS;
  std::memset(mask, 0, bytes);
  const int64_t written =
      GetAffinity(*process, {.id = std::nullopt, .handle = thread}, bytes, mask);
  return written < 0 ? static_cast<int>(-written) : 0;
}

RAILGAUGE_INTERPOSED int getcpu(unsigned* cpu, unsigned* node) noexcept {
  return static_cast<int>(syscall(SYS_getcpu, cpu, node, nullptr));
}

RAILGAUGE_INTERPOSED int sched_getcpu() noexcept {
  unsigned cpu = 0;
  return getcpu(&cpu, nullptr) == 0 ? static_cast<int>(cpu) : -1;
}
