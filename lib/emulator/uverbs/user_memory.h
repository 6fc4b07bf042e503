// Memory that the application names in an ioctl: it may not be there.
//
// The kernel's copy_from_user() and copy_to_user(). A bad pointer is EFAULT to the caller, not a
// crash: the kernel reads and writes this process's memory for us, and says when it cannot.
#ifndef RAILGAUGE_LIB_EMULATOR_UVERBS_USER_MEMORY_H_
#define RAILGAUGE_LIB_EMULATOR_UVERBS_USER_MEMORY_H_

#include <sys/uio.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {

namespace internal {

// True: `bytes` were moved between `ours` and `theirs`.
inline bool MoveUserMemory(int64_t number, void* ours, void* theirs, size_t bytes) {
  if (bytes == 0) return true;
  iovec local = {.iov_base = ours, .iov_len = bytes};
  iovec remote = {.iov_base = theirs, .iov_len = bytes};
  const int64_t pid = RawSyscall(SYS_getpid);
  const int64_t moved = RawSyscall(number, pid, &local, 1, &remote, 1, 0);
  if (moved == static_cast<int64_t>(bytes)) return true;
  if (moved != -EPERM && moved != -ENOSYS) return false;
  // A sandbox that forbids the call even on oneself: then a bad pointer is a fault as anywhere.
  const bool read = number == SYS_process_vm_readv;
  std::memcpy(read ? ours : theirs, read ? theirs : ours, bytes);
  return true;
}

}  // namespace internal

// False where the kernel would say EFAULT.
inline bool CopyFromUser(void* to, const void* from, size_t bytes) {
  return internal::MoveUserMemory(SYS_process_vm_readv, to, const_cast<void*>(from), bytes);
}
inline bool CopyToUser(void* to, const void* from, size_t bytes) {
  return internal::MoveUserMemory(SYS_process_vm_writev, const_cast<void*>(from), to, bytes);
}

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_UVERBS_USER_MEMORY_H_
