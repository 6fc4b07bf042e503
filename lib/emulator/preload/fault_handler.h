// The handler of SIGSEGV and SIGBUS of an emulated process: doorbells, broken copies, and the rest,
// which goes to the application's own handler or kills it as it would have.
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_FAULT_HANDLER_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_FAULT_HANDLER_H_

#include <signal.h>

#include <cstdint>

namespace railgauge {

// A 32-bit store to a read-only address. False: no doorbell lies there.
using DoorbellStore = bool (*)(uint64_t address, uint32_t value);

// Whether a doorbell lies at the address. Separate, since asking must not need the value.
using IsDoorbell = bool (*)(uint64_t address);

// Takes the two signals over, once; what was set for them before becomes the application's action.
void InstallFaultHandler(IsDoorbell is_doorbell, DoorbellStore store);

// sigaction(2) as the application sees it. True: `signal_number` is one of the two and the handler
// is installed; `action` was kept, `old_action` is what the application set before.
bool SetApplicationAction(int signal_number, const struct sigaction* action,
                          struct sigaction* old_action);

// Takes the two signals out of a set that is about to be blocked: a thread that blocks them would
// be killed by its next doorbell.
void RemoveFaultSignals(sigset_t* set);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_FAULT_HANDLER_H_
