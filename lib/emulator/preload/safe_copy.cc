#include "lib/emulator/preload/safe_copy.h"

#include <cstdint>
#include <type_traits>

// int railgauge_safe_copy(void* destination, const void* source, size_t bytes): 0 when all was
// copied. After a fault before its _end the signal handler puts an outcome into the result register
// and continues at _fault; the stack is as at entry.
#if defined(__x86_64__)
asm(R"(
  .pushsection .text
  .hidden railgauge_safe_copy
  .hidden railgauge_safe_copy_end
  .hidden railgauge_safe_copy_fault
  .globl railgauge_safe_copy
  .globl railgauge_safe_copy_end
  .globl railgauge_safe_copy_fault
  .type railgauge_safe_copy, @function
railgauge_safe_copy:
  .cfi_startproc
  movq %rdx, %rcx
  rep movsb
  xorl %eax, %eax
  ret
railgauge_safe_copy_end:
railgauge_safe_copy_fault:
  ret
  .cfi_endproc
  .size railgauge_safe_copy, . - railgauge_safe_copy
  .popsection
)");
#elif defined(__aarch64__)
asm(R"(
  .pushsection .text
  .hidden railgauge_safe_copy
  .hidden railgauge_safe_copy_end
  .hidden railgauge_safe_copy_fault
  .globl railgauge_safe_copy
  .globl railgauge_safe_copy_end
  .globl railgauge_safe_copy_fault
  .type railgauge_safe_copy, %function
railgauge_safe_copy:
  .cfi_startproc
1:
  cmp x2, #32
  b.lo 2f
  ldp x3, x4, [x1]
  ldp x5, x6, [x1, #16]
  add x1, x1, #32
  stp x3, x4, [x0]
  stp x5, x6, [x0, #16]
  add x0, x0, #32
  sub x2, x2, #32
  b 1b
2:
  cbz x2, 3f
  ldrb w3, [x1], #1
  strb w3, [x0], #1
  sub x2, x2, #1
  b 2b
3:
  mov w0, #0
  ret
railgauge_safe_copy_end:
railgauge_safe_copy_fault:
  ret
  .cfi_endproc
  .size railgauge_safe_copy, . - railgauge_safe_copy
  .popsection
)");
#else
#error "SafeCopy: this architecture is not supported"
#endif

extern "C" {
int railgauge_safe_copy(void* destination, const void* source, size_t bytes);
extern const char railgauge_safe_copy_end[];
extern const char railgauge_safe_copy_fault[];
}

namespace railgauge {

using efa::CopyOutcome;

static_assert(static_cast<int>(CopyOutcome::kDone) == 0);

CopyOutcome SafeCopy(void* destination, const void* source, size_t bytes) {
  return static_cast<CopyOutcome>(railgauge_safe_copy(destination, source, bytes));
}

CopyOutcome SafeCopyAll(std::span<const efa::MemoryCopy> copies) {
  for (const efa::MemoryCopy& copy : copies) {
    const CopyOutcome outcome = SafeCopy(copy.destination, copy.source, copy.bytes);
    if (outcome != CopyOutcome::kDone) return outcome;
  }
  return CopyOutcome::kDone;
}

bool LeaveSafeCopy(ucontext_t* context) {
#if defined(__x86_64__)
  auto& pc = context->uc_mcontext.gregs[REG_RIP];
  auto& result = context->uc_mcontext.gregs[REG_RAX];
#else
  auto& pc = context->uc_mcontext.pc;
  auto& result = context->uc_mcontext.regs[0];
#endif
  const auto at = static_cast<uintptr_t>(pc);
  if (at < reinterpret_cast<uintptr_t>(&railgauge_safe_copy) ||
      at >= reinterpret_cast<uintptr_t>(&railgauge_safe_copy_end[0])) {
    return false;
  }
#if defined(__x86_64__)
  constexpr greg_t kErrorIsWrite = 2;
  const bool is_store = (context->uc_mcontext.gregs[REG_ERR] & kErrorIsWrite) != 0;
#else
  constexpr uint32_t kIsLoad = 1u << 22;  // in the loads and stores above
  const bool is_store = (*reinterpret_cast<const uint32_t*>(at) & kIsLoad) == 0;
#endif
  using Register = std::remove_reference_t<decltype(pc)>;
  result =
      static_cast<Register>(is_store ? CopyOutcome::kDestinationFault : CopyOutcome::kSourceFault);
  pc = static_cast<Register>(reinterpret_cast<uintptr_t>(&railgauge_safe_copy_fault[0]));
  return true;
}

}  // namespace railgauge
