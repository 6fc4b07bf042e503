#include "lib/measure/step_count_testutil.h"

#include <dlfcn.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

// Where this executable's code lies.
extern "C" {
extern const char __executable_start[];  // NOLINT(bugprone-reserved-identifier)
extern const char etext[];
}

namespace railgauge {

#if defined(__x86_64__)

namespace {

constexpr uint8_t kBreakpoint = 0xcc;                  // int3
constexpr uint16_t kSystemCall = 0x050f;               // syscall, as a little-endian word
constexpr uint64_t kMostSteps = uint64_t{50'000'000};  // a body that never ends its count

// What allocates, frees or locks, by the names that C and C++ code ends up at.
constexpr const char* kForbidden[] = {
    "malloc",
    "calloc",
    "realloc",
    "free",
    "aligned_alloc",
    "memalign",
    "posix_memalign",
    "mmap",
    "munmap",
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_timedlock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_spin_lock",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "sem_wait",
    "__cxa_guard_acquire",
};

std::map<uint64_t, std::string> ForbiddenAddresses() {
  std::map<uint64_t, std::string> addresses;
  for (const char* name : kForbidden) {
    if (void* function = dlsym(RTLD_DEFAULT, name)) {
      addresses.emplace(reinterpret_cast<uint64_t>(function), name);
    }
  }
  return addresses;
}

// A child that is stepped through. The parent's memory has the same code at the same addresses.
class SteppedChild {
 public:
  explicit SteppedChild(pid_t child) : child_(child) {}
  ~SteppedChild() {
    kill(child_, SIGKILL);
    int status = 0;
    while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  SteppedChild(const SteppedChild&) = delete;
  SteppedChild& operator=(const SteppedChild&) = delete;

  // Goes on until the next stop. False when the child ended instead.
  bool Resume(int request) {
    return ptrace(static_cast<__ptrace_request>(request), child_, nullptr, nullptr) == 0 &&
           WaitForTrap();
  }
  bool WaitForTrap() {
    int status = 0;
    while (waitpid(child_, &status, 0) < 0) {
      if (errno != EINTR) return false;
    }
    return WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
  }

  uint64_t Register(size_t offset) const {
    return static_cast<uint64_t>(
        ptrace(PTRACE_PEEKUSER, child_, reinterpret_cast<void*>(offset), nullptr));
  }

 private:
  const pid_t child_;
};

Error StepError(std::string reason, std::string advice = "") {
  return MakeError("count instructions", "by single-stepping a child", std::move(reason),
                   std::move(advice));
}

Result<StepCount> Step(SteppedChild* child, const std::function<bool(uint64_t)>& excluded) {
  const auto forbidden = ForbiddenAddresses();
  const auto begin = reinterpret_cast<uint64_t>(__executable_start);
  const auto end = reinterpret_cast<uint64_t>(etext);
  StepCount count;
  while (count.instructions < kMostSteps) {
    const uint64_t address = child->Register(offsetof(user_regs_struct, rip));
    const auto* code = reinterpret_cast<const uint8_t*>(address);
    if (code[0] == kBreakpoint) return count;
    uint16_t word = 0;
    std::memcpy(&word, code, sizeof(word));
    if (word == kSystemCall) {
      ++count.system_calls[static_cast<long>(child->Register(offsetof(user_regs_struct, rax)))];
    }
    if (const auto it = forbidden.find(address); it != forbidden.end()) {
      ++count.forbidden_calls[it->second];
    }
    ++count.instructions;
    if (excluded(address)) {
      ++count.in_excluded;
    } else if (address >= begin && address < end) {
      ++count.in_program;
    }
    if (!child->Resume(PTRACE_SINGLESTEP)) return Fail(StepError("the code ended before its mark"));
  }
  return Fail(StepError("the code did not reach its end mark"));
}

// Both on one CPU: a step is then a switch between two processes and no message between CPUs.
void StayOnThisCpu() {
  cpu_set_t here;
  CPU_ZERO(&here);
  const int cpu = sched_getcpu();
  if (cpu < 0 || cpu >= CPU_SETSIZE) return;
  CPU_SET(cpu, &here);
  (void)sched_setaffinity(0, sizeof(here), &here);  // slower, and as right, without
}

}  // namespace

__attribute__((noinline)) void BeginSteps() { asm volatile("int3"); }
__attribute__((noinline)) void EndSteps() { asm volatile("int3"); }

Result<StepCount> CountSteps(const std::function<void()>& body,
                             const std::function<bool(uint64_t)>& excluded) {
  cpu_set_t before;
  CPU_ZERO(&before);
  const bool known = sched_getaffinity(0, sizeof(before), &before) == 0;
  StayOnThisCpu();
  const pid_t pid = fork();
  if (pid < 0) return Fail(ErrnoError(errno, "fork", ""));
  if (pid == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
    body();
    _exit(0);
  }
  Result<StepCount> result = Fail(
      StepError("the code never reached its first mark", "A seccomp profile may forbid ptrace(2)"));
  {
    SteppedChild child(pid);
    if (child.WaitForTrap()) result = Step(&child, excluded);
  }
  if (known) (void)sched_setaffinity(0, sizeof(before), &before);
  return result;
}

#else

void BeginSteps() {}
void EndSteps() {}

Result<StepCount> CountSteps(const std::function<void()>&, const std::function<bool(uint64_t)>&) {
  return Fail(
      MakeError("count instructions", "by single-stepping a child", "only written for x86-64"));
}

#endif

}  // namespace railgauge
