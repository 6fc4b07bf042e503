// SafeCopy: memcpy that says where memory is not accessible, instead of a signal.
//
// The device model copies from and to memory that the application may have unmapped meanwhile; real
// hardware meets pinned pages there. The copy is one known stretch of code: the SIGSEGV handler
// sees a fault inside it and continues at its exit, so that a good copy costs nothing extra.
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_SAFE_COPY_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_SAFE_COPY_H_

#include <ucontext.h>

#include <cstddef>
#include <span>

#include "lib/emulator/device/environment.h"

namespace railgauge {

// Ranges do not overlap. After a fault any part may have been copied. Needs the handler of
// fault_handler.h.
efa::CopyOutcome SafeCopy(void* destination, const void* source, size_t bytes);

// In order, to the first fault; memory of this process only.
efa::CopyOutcome SafeCopyAll(std::span<const efa::MemoryCopy> copies);

// For the signal handler: when the fault is SafeCopy's, makes `context` leave it with the outcome.
bool LeaveSafeCopy(ucontext_t* context);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_SAFE_COPY_H_
