// RawSyscall: a system call without libc.
//
// The front end runs inside libraries that replace libc's functions (open, close, mmap, even
// syscall). A call through libc would come back to our own wrapper, or dead-lock on its tables, so
// everything in lib/emulator/{uverbs,preload} that could meet a wrapper goes through here.
#ifndef RAILGAUGE_LIB_EMULATOR_UVERBS_RAW_SYSCALL_H_
#define RAILGAUGE_LIB_EMULATOR_UVERBS_RAW_SYSCALL_H_

#include <sys/syscall.h>

#include <cstdint>
#include <type_traits>

namespace railgauge {

// The kernel's answer: a negative errno value on failure. Does not touch errno.
inline int64_t RawSyscall6(int64_t number, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e,
                           int64_t f) {
#if defined(__x86_64__)
  int64_t result = number;
  register int64_t r10 asm("r10") = d;
  register int64_t r8 asm("r8") = e;
  register int64_t r9 asm("r9") = f;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register int64_t x8 asm("x8") = number;
  register int64_t x0 asm("x0") = a;
  register int64_t x1 asm("x1") = b;
  register int64_t x2 asm("x2") = c;
  register int64_t x3 asm("x3") = d;
  register int64_t x4 asm("x4") = e;
  register int64_t x5 asm("x5") = f;
  asm volatile("svc #0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
               : "memory");
  return x0;
#else
#error "RawSyscall6: this architecture is not supported"
#endif
}

namespace internal {
inline int64_t SyscallArgument(const volatile void* value) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(value));
}
template <typename T>
requires(!std::is_pointer_v<T> && !std::is_null_pointer_v<T>) int64_t SyscallArgument(T value) {
  return static_cast<int64_t>(value);
}
}  // namespace internal

template <typename A = int, typename B = int, typename C = int, typename D = int, typename E = int,
          typename F = int>
int64_t RawSyscall(int64_t number, A a = {}, B b = {}, C c = {}, D d = {}, E e = {}, F f = {}) {
  using internal::SyscallArgument;
  return RawSyscall6(number, SyscallArgument(a), SyscallArgument(b), SyscallArgument(c),
                     SyscallArgument(d), SyscallArgument(e), SyscallArgument(f));
}

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_UVERBS_RAW_SYSCALL_H_
