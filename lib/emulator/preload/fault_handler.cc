#include "lib/emulator/preload/fault_handler.h"

#include <ucontext.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>

#include "lib/emulator/preload/real_function.h"
#include "lib/emulator/preload/safe_copy.h"
#include "lib/emulator/preload/store_decoder.h"
#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {

namespace {

using Sigaction = int(int, const struct sigaction*, struct sigaction*);
RealFunction<Sigaction> g_real_sigaction("sigaction");

std::atomic<bool> g_installed{false};
IsDoorbell g_is_doorbell = nullptr;
DoorbellStore g_store = nullptr;

// What the application set. Read by the handler, so guarded by a lock that is never held across
// anything that can fault.
std::atomic_flag g_actions_lock = ATOMIC_FLAG_INIT;
struct sigaction g_segv_action = {}, g_bus_action = {};

class ActionsLock {
 public:
  ActionsLock() {
    while (g_actions_lock.test_and_set(std::memory_order_acquire)) RawSyscall(SYS_sched_yield);
  }
  ~ActionsLock() { g_actions_lock.clear(std::memory_order_release); }
};

struct sigaction& ActionOf(int signal_number) {
  return signal_number == SIGBUS ? g_bus_action : g_segv_action;
}

bool IsWriteFault(const ucontext_t& context) {
#if defined(__x86_64__)
  constexpr greg_t kWrite = 2;
  return (context.uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
#else
  (void)context;
  return true;  // the decoder knows
#endif
}

#if defined(__x86_64__)
uint64_t RegisterValue(const ucontext_t& context, unsigned number) {
  constexpr int kRegisters[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                REG_R12, REG_R13, REG_R14, REG_R15};
  return static_cast<uint64_t>(context.uc_mcontext.gregs[kRegisters[number]]);
}
std::optional<DecodedStore> Decode(const ucontext_t& context) {
  // The instruction may be the last before an unmapped page: read no further than its own page
  // unless it needs to.
  const auto pc = static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
  constexpr uint64_t kPage = 4096, kLongest = 15;
  const uint64_t to_page_end = kPage - pc % kPage;
  const auto* code = reinterpret_cast<const uint8_t*>(pc);
  if (to_page_end < kLongest) {
    if (auto store = DecodeX86Store({code, static_cast<size_t>(to_page_end)})) return store;
  }
  return DecodeX86Store({code, static_cast<size_t>(kLongest)});
}
void Advance(ucontext_t& context, size_t bytes) {
  context.uc_mcontext.gregs[REG_RIP] += static_cast<greg_t>(bytes);
}
#else
uint64_t RegisterValue(const ucontext_t& context, unsigned number) {
  return context.uc_mcontext.regs[number];
}
std::optional<DecodedStore> Decode(const ucontext_t& context) {
  return DecodeArmStore(*reinterpret_cast<const uint32_t*>(context.uc_mcontext.pc));
}
void Advance(ucontext_t& context, size_t bytes) { context.uc_mcontext.pc += bytes; }
#endif

void Say(const char* message) { RawSyscall(SYS_write, 2, message, std::strlen(message)); }

bool HandleDoorbell(const siginfo_t& info, ucontext_t& context) {
  const auto address = reinterpret_cast<uint64_t>(info.si_addr);
  if (info.si_code != SEGV_ACCERR || !IsWriteFault(context) || !g_is_doorbell(address)) {
    return false;
  }
  const auto store = Decode(context);
  if (!store) {
    Say("railgauge emulator: a doorbell was written by an instruction other than a 32-bit store, "
        "which the emulator cannot decode\n");
    return false;
  }
  const uint32_t value =
      store->immediate ? *store->immediate
                       : static_cast<uint32_t>(RegisterValue(context, store->register_number));
  g_store(address, value);
  Advance(context, store->instruction_bytes);
  return true;
}

void DieOf(int signal_number, const siginfo_t& info) {
  struct sigaction by_default = {};
  by_default.sa_handler = SIG_DFL;
  g_real_sigaction.Get()(signal_number, &by_default, nullptr);
  // A fault repeats when the handler returns, and then kills with its own code. What another
  // process sent does not.
  if (info.si_code > 0) return;
  const int64_t pid = RawSyscall(SYS_getpid), tid = RawSyscall(SYS_gettid);
  RawSyscall(SYS_tgkill, pid, tid, signal_number);
}

void PassOn(int signal_number, siginfo_t* info, void* context) {
  struct sigaction action;
  {
    const ActionsLock lock;
    action = ActionOf(signal_number);
    const auto flags = static_cast<unsigned>(action.sa_flags);
    if ((flags & SA_RESETHAND) != 0) ActionOf(signal_number) = {};
  }
  const auto flags = static_cast<unsigned>(action.sa_flags);
  // The kernel does not let a program ignore a fault either.
  const bool is_function =
      (flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
  if (!is_function) {
    if (action.sa_handler == SIG_IGN && info->si_code <= 0) return;
    DieOf(signal_number, *info);
    return;
  }
  sigset_t blocked = action.sa_mask;
  if ((flags & SA_NODEFER) == 0) sigaddset(&blocked, signal_number);
  sigset_t before;
  constexpr size_t kKernelSetBytes = 8;
  RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, &blocked, &before, kKernelSetBytes);
  if ((flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal_number, info, context);
  } else {
    action.sa_handler(signal_number);
  }
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, kKernelSetBytes);
}

void OnFault(int signal_number, siginfo_t* info, void* raw_context) {
  auto& context = *static_cast<ucontext_t*>(raw_context);
  if (LeaveSafeCopy(&context)) return;
  const int saved_errno = errno;
  const bool done = signal_number == SIGSEGV && HandleDoorbell(*info, context);
  errno = saved_errno;
  if (!done) PassOn(signal_number, info, raw_context);
}

// Ours, on the application's alternative stack only when its own handler asks for that: a doorbell
// then needs no more room than the application's stack has.
void SetOurs(int signal_number, bool on_alternative_stack) {
  struct sigaction ours = {};
  ours.sa_sigaction = OnFault;
  // Not deferred: the device model's copies recover from a fault inside the handler too.
  ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
  if (on_alternative_stack) ours.sa_flags |= SA_ONSTACK;
  g_real_sigaction.Get()(signal_number, &ours, nullptr);
}

bool WantsAlternativeStack(const struct sigaction& action) {
  return (static_cast<unsigned>(action.sa_flags) & SA_ONSTACK) != 0;
}

}  // namespace

void InstallFaultHandler(IsDoorbell is_doorbell, DoorbellStore store) {
  static std::once_flag once;
  std::call_once(once, [&] {
    g_is_doorbell = is_doorbell;
    g_store = store;
    for (const int signal_number : {SIGSEGV, SIGBUS}) {
      struct sigaction before = {};
      g_real_sigaction.Get()(signal_number, nullptr, &before);
      {
        const ActionsLock lock;
        ActionOf(signal_number) = before;
      }
      SetOurs(signal_number, WantsAlternativeStack(before));
    }
    g_installed.store(true, std::memory_order_release);
  });
}

bool SetApplicationAction(int signal_number, const struct sigaction* action,
                          struct sigaction* old_action) {
  if (signal_number != SIGSEGV && signal_number != SIGBUS) return false;
  if (!g_installed.load(std::memory_order_acquire)) return false;
  struct sigaction wanted = {}, before = {};
  if (action != nullptr) wanted = *action;
  {
    const ActionsLock lock;
    before = ActionOf(signal_number);
    if (action != nullptr) ActionOf(signal_number) = wanted;
  }
  if (action != nullptr) SetOurs(signal_number, WantsAlternativeStack(wanted));
  if (old_action != nullptr) *old_action = before;
  return true;
}

void RemoveFaultSignals(sigset_t* set) {
  sigdelset(set, SIGSEGV);
  sigdelset(set, SIGBUS);
}

}  // namespace railgauge
