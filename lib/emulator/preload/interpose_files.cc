// Interposed: open and its kin, stat and its kin, access, close, ioctl, socket.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdarg>
#include <cstring>

#include "lib/emulator/preload/device_nodes.h"
#include "lib/emulator/preload/emulated_process.h"
#include "lib/emulator/preload/interpose.h"
#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {
namespace {

// The node that `path` names on an emulated machine.
std::optional<size_t> EmulatedNode(const char* path) {
  const auto node = UverbsNodeOf(path);
  if (!node || !IsEmulated()) return std::nullopt;
  return node;
}

bool NeedsMode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

int AccessNode(size_t node, int wanted, uid_t uid, gid_t gid) {
  struct stat status;
  if (const int error = StatUverbsNode(node, &status)) return error;
  return MayAccess(status.st_mode, uid, gid, wanted) ? 0 : -EACCES;
}

int OpenNode(size_t node, int flags) {
  const int access_mode = flags & O_ACCMODE;
  const int wanted = access_mode == O_RDONLY ? R_OK : access_mode == O_WRONLY ? W_OK : R_OK | W_OK;
  const auto uid = static_cast<uid_t>(RawSyscall(SYS_geteuid));
  const auto gid = static_cast<gid_t>(RawSyscall(SYS_getegid));
  if (const int error = AccessNode(node, wanted, uid, gid)) return error;
  EmulatedProcess* process = EmulatedProcess::Get();
  return process == nullptr ? -ENODEV : process->OpenDevice(node, flags);
}

int OpenAt(int folder, const char* path, int flags, mode_t mode) {
  if (const auto node = EmulatedNode(path)) return LibcInt(OpenNode(*node, flags));
  if (path != nullptr && std::strstr(path, "/hw_counters/") != nullptr && IsEmulated()) {
    if (EmulatedProcess* process = EmulatedProcess::IfMade()) process->PublishCounters();
  }
  return LibcInt(RawSyscall(SYS_openat, folder, path, flags, mode));
}

// The emulated device behind an open descriptor: the node that stat(2) would name.
UverbsHost* HostOf(int fd) {
  EmulatedProcess* process = EmulatedProcess::IfMade();
  UverbsHost* host = process == nullptr ? nullptr : process->host();
  return host != nullptr && host->IsOpen(fd) ? host : nullptr;
}

int StatAt(int folder, const char* path, struct stat* status, int flags) {
  if (const auto node = EmulatedNode(path)) return LibcInt(StatUverbsNode(*node, status));
  const bool of_descriptor = path != nullptr && *path == '\0' && (flags & AT_EMPTY_PATH) != 0;
  if (of_descriptor) {
    if (UverbsHost* host = HostOf(folder)) {
      return LibcInt(StatUverbsNode(host->IndexOf(folder), status));
    }
  }
  return LibcInt(RawSyscall(SYS_newfstatat, folder, path, status, flags));
}

int StatOfFd(int fd, struct stat* status) {
  if (UverbsHost* host = HostOf(fd)) return LibcInt(StatUverbsNode(host->IndexOf(fd), status));
  return LibcInt(RawSyscall(SYS_fstat, fd, status));
}

struct stat* Plain(struct stat64* status) {
  static_assert(sizeof(struct stat) == sizeof(struct stat64));
  return reinterpret_cast<struct stat*>(status);
}

mode_t ModeArgument(int flags, va_list arguments) {
  return NeedsMode(flags) ? va_arg(arguments, mode_t) : 0;
}

}  // namespace
}  // namespace railgauge

using namespace railgauge;  // NOLINT: everything below is a libc function at global scope

#define RAILGAUGE_MODE(flags)                         \
  va_list arguments;                                  \
  va_start(arguments, flags);                         \
  const mode_t mode = ModeArgument(flags, arguments); \
  va_end(arguments)

RAILGAUGE_INTERPOSED int open(const char* path, int flags, ...) {
  RAILGAUGE_MODE(flags);
  return OpenAt(AT_FDCWD, path, flags, mode);
}
RAILGAUGE_INTERPOSED int open64(const char* path, int flags, ...) {
  RAILGAUGE_MODE(flags);
  return OpenAt(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}
RAILGAUGE_INTERPOSED int openat(int folder, const char* path, int flags, ...) {
  RAILGAUGE_MODE(flags);
  return OpenAt(folder, path, flags, mode);
}
RAILGAUGE_INTERPOSED int openat64(int folder, const char* path, int flags, ...) {
  RAILGAUGE_MODE(flags);
  return OpenAt(folder, path, flags | O_LARGEFILE, mode);
}
// What _FORTIFY_SOURCE makes of open without a mode.
RAILGAUGE_INTERPOSED int __open_2(const char* path, int flags) {
  return OpenAt(AT_FDCWD, path, flags, 0);
}
RAILGAUGE_INTERPOSED int __open64_2(const char* path, int flags) {
  return OpenAt(AT_FDCWD, path, flags | O_LARGEFILE, 0);
}
RAILGAUGE_INTERPOSED int __openat_2(int folder, const char* path, int flags) {
  return OpenAt(folder, path, flags, 0);
}
RAILGAUGE_INTERPOSED int __openat64_2(int folder, const char* path, int flags) {
  return OpenAt(folder, path, flags | O_LARGEFILE, 0);
}

RAILGAUGE_INTERPOSED int stat(const char* path, struct stat* status) {
  return StatAt(AT_FDCWD, path, status, 0);
}
RAILGAUGE_INTERPOSED int stat64(const char* path, struct stat64* status) {
  return StatAt(AT_FDCWD, path, Plain(status), 0);
}
RAILGAUGE_INTERPOSED int lstat(const char* path, struct stat* status) {
  return StatAt(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
RAILGAUGE_INTERPOSED int lstat64(const char* path, struct stat64* status) {
  return StatAt(AT_FDCWD, path, Plain(status), AT_SYMLINK_NOFOLLOW);
}
RAILGAUGE_INTERPOSED int fstat(int fd, struct stat* status) { return StatOfFd(fd, status); }
RAILGAUGE_INTERPOSED int fstat64(int fd, struct stat64* status) {
  return StatOfFd(fd, Plain(status));
}
RAILGAUGE_INTERPOSED int fstatat(int folder, const char* path, struct stat* status, int flags) {
  return StatAt(folder, path, status, flags);
}
RAILGAUGE_INTERPOSED int fstatat64(int folder, const char* path, struct stat64* status, int flags) {
  return StatAt(folder, path, Plain(status), flags);
}
// The same for programs built before glibc 2.33; the first argument is a version of the struct.
RAILGAUGE_INTERPOSED int __xstat(int, const char* path, struct stat* status) {
  return StatAt(AT_FDCWD, path, status, 0);
}
RAILGAUGE_INTERPOSED int __xstat64(int, const char* path, struct stat64* status) {
  return StatAt(AT_FDCWD, path, Plain(status), 0);
}
RAILGAUGE_INTERPOSED int __lxstat(int, const char* path, struct stat* status) {
  return StatAt(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
RAILGAUGE_INTERPOSED int __lxstat64(int, const char* path, struct stat64* status) {
  return StatAt(AT_FDCWD, path, Plain(status), AT_SYMLINK_NOFOLLOW);
}
RAILGAUGE_INTERPOSED int __fxstat(int, int fd, struct stat* status) { return StatOfFd(fd, status); }
RAILGAUGE_INTERPOSED int __fxstat64(int, int fd, struct stat64* status) {
  return StatOfFd(fd, Plain(status));
}

RAILGAUGE_INTERPOSED int statx(int folder, const char* __restrict path, int flags, unsigned mask,
                               struct statx* __restrict result) {
  const auto node = EmulatedNode(path);
  if (!node) return LibcInt(RawSyscall(SYS_statx, folder, path, flags, mask, result));
  struct stat status;
  if (const int error = StatUverbsNode(*node, &status)) return LibcInt(error);
  *result = {};
  result->stx_mask = STATX_BASIC_STATS;
  result->stx_mode = static_cast<uint16_t>(status.st_mode);
  result->stx_nlink = 1;
  result->stx_ino = status.st_ino;
  result->stx_blksize = 4096;
  result->stx_rdev_major = major(status.st_rdev);
  result->stx_rdev_minor = minor(status.st_rdev);
  return 0;
}

RAILGAUGE_INTERPOSED int faccessat(int folder, const char* path, int wanted, int flags) {
  if (const auto node = EmulatedNode(path)) {
    const bool effective = (flags & AT_EACCESS) != 0;
    const auto uid = static_cast<uid_t>(RawSyscall(effective ? SYS_geteuid : SYS_getuid));
    const auto gid = static_cast<gid_t>(RawSyscall(effective ? SYS_getegid : SYS_getgid));
    return LibcInt(AccessNode(*node, wanted, uid, gid));
  }
  if (flags == 0) return LibcInt(RawSyscall(SYS_faccessat, folder, path, wanted));
  constexpr int kFaccessat2 = 439;
  return LibcInt(RawSyscall(kFaccessat2, folder, path, wanted, flags));
}
RAILGAUGE_INTERPOSED int access(const char* path, int wanted) {
  return faccessat(AT_FDCWD, path, wanted, 0);
}
RAILGAUGE_INTERPOSED int euidaccess(const char* path, int wanted) {
  return faccessat(AT_FDCWD, path, wanted, AT_EACCESS);
}
RAILGAUGE_INTERPOSED int eaccess(const char* path, int wanted) {
  return faccessat(AT_FDCWD, path, wanted, AT_EACCESS);
}

RAILGAUGE_INTERPOSED int close(int fd) {
  if (EmulatedProcess* process = EmulatedProcess::IfMade()) {
    if (UverbsHost* host = process->host()) host->Close(fd);
  }
  return LibcInt(RawSyscall(SYS_close, fd));
}

RAILGAUGE_INTERPOSED int ioctl(int fd, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  if (UverbsHost* host = HostOf(fd)) return LibcInt(host->Ioctl(fd, request, argument));
  return LibcInt(RawSyscall(SYS_ioctl, fd, request, argument));
}

RAILGAUGE_INTERPOSED int socket(int domain, int type, int protocol) noexcept {
  // RDMA netlink of this host's kernel would tell of this host's devices.
  constexpr int kNetlinkRdma = 20;
  if (domain == AF_NETLINK && protocol == kNetlinkRdma && IsEmulated()) {
    return LibcInt(-EPROTONOSUPPORT);
  }
  return LibcInt(RawSyscall(SYS_socket, domain, type, protocol));
}
