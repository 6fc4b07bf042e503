// Interposed: sigaction and signal for the two fault signals, and the masks that would block them.
#include <signal.h>

#include "lib/emulator/preload/device_nodes.h"
#include "lib/emulator/preload/fault_handler.h"
#include "lib/emulator/preload/interpose.h"
#include "lib/emulator/preload/real_function.h"

namespace railgauge {
namespace {

RealFunction<int(int, const struct sigaction*, struct sigaction*)> g_sigaction("sigaction");
RealFunction<int(int, const sigset_t*, sigset_t*)> g_sigprocmask("sigprocmask");
RealFunction<int(int, const sigset_t*, sigset_t*)> g_pthread_sigmask("pthread_sigmask");

int SetAction(int signal_number, const struct sigaction* action, struct sigaction* old_action) {
  if (SetApplicationAction(signal_number, action, old_action)) return 0;
  return g_sigaction.Get()(signal_number, action, old_action);
}

template <typename Real>
int ChangeMask(Real& real, int how, const sigset_t* set, sigset_t* old_set) {
  if (set == nullptr || how == SIG_UNBLOCK || !IsEmulated()) return real.Get()(how, set, old_set);
  sigset_t without_faults = *set;
  RemoveFaultSignals(&without_faults);
  return real.Get()(how, &without_faults, old_set);
}

}  // namespace
}  // namespace railgauge

RAILGAUGE_INTERPOSED int sigaction(int signal_number, const struct sigaction* action,
                                   struct sigaction* old_action) noexcept {
  return railgauge::SetAction(signal_number, action, old_action);
}

RAILGAUGE_INTERPOSED sighandler_t signal(int signal_number, sighandler_t handler) noexcept {
  struct sigaction action = {}, old_action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;  // BSD's meaning, as in glibc
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, signal_number);
  if (railgauge::SetAction(signal_number, &action, &old_action) != 0) return SIG_ERR;
  return old_action.sa_handler;
}

RAILGAUGE_INTERPOSED int sigprocmask(int how, const sigset_t* set, sigset_t* old_set) noexcept {
  return railgauge::ChangeMask(railgauge::g_sigprocmask, how, set, old_set);
}

RAILGAUGE_INTERPOSED int pthread_sigmask(int how, const sigset_t* set, sigset_t* old_set) noexcept {
  return railgauge::ChangeMask(railgauge::g_pthread_sigmask, how, set, old_set);
}
