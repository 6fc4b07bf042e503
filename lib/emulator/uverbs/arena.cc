#include "lib/emulator/uverbs/arena.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>

#include <cerrno>

#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {

namespace {
uint64_t RoundUpToPage(uint64_t bytes) {
  return (bytes + Arena::kPageBytes - 1) & ~(Arena::kPageBytes - 1);
}
}  // namespace

Result<std::unique_ptr<Arena>> Arena::Create(uint64_t bytes) {
  bytes = RoundUpToPage(bytes);
  const int64_t fd =
      RawSyscall(SYS_memfd_create, "railgauge-uverbs", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return Fail(ErrnoError(static_cast<int>(-fd), "memfd_create", "device memory"));
  int64_t status = RawSyscall(SYS_ftruncate, fd, bytes);
  int64_t address = 0;
  if (status == 0) {
    address = RawSyscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (address < 0 && address > -4096) status = address;
  }
  // Everybody who opens a device gets a descriptor; a shorter file would be a fault of the device.
  if (status == 0) {
    RawSyscall(SYS_fcntl, fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  }
  if (status != 0) {
    RawSyscall(SYS_close, fd);
    return Fail(ErrnoError(static_cast<int>(-status), "map", "device memory",
                           "The emulator needs address space: see ulimit -v"));
  }
  return std::unique_ptr<Arena>(
      new Arena(static_cast<int>(fd), reinterpret_cast<std::byte*>(address), bytes));
}

Arena::Arena(int fd, std::byte* base, uint64_t bytes) : fd_(fd), base_(base), bytes_(bytes) {
  // Offset 0 is never handed out: a key of 0 is easily mistaken for "none".
  free_[kPageBytes] = bytes - kPageBytes;
}

Arena::~Arena() {
  RawSyscall(SYS_munmap, base_, bytes_);
  RawSyscall(SYS_close, fd_);
}

std::optional<uint64_t> Arena::Allocate(uint64_t bytes) {
  bytes = RoundUpToPage(bytes == 0 ? 1 : bytes);
  const std::lock_guard lock(mutex_);
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    auto [offset, available] = *it;
    if (available < bytes) continue;
    free_.erase(it);
    if (available > bytes) free_[offset + bytes] = available - bytes;
    used_[offset] = bytes;
    return offset;
  }
  return std::nullopt;
}

void Arena::Free(uint64_t offset) {
  const std::lock_guard lock(mutex_);
  const auto used = used_.find(offset);
  RAILGAUGE_CHECK(used != used_.end());
  uint64_t bytes = used->second;
  used_.erase(used);
  // A hole reads as zeros again, also through mappings that the application still has.
  RawSyscall(SYS_fallocate, fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, bytes);
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && offset + bytes == next->first) {
    bytes += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      previous->second += bytes;
      return;
    }
  }
  free_[offset] = bytes;
}

uint64_t Arena::UsedBytes() {
  const std::lock_guard lock(mutex_);
  uint64_t bytes = 0;
  for (const auto& [offset, length] : used_) bytes += length;
  return bytes;
}

int Arena::Duplicate(bool close_on_exec) const {
  return static_cast<int>(RawSyscall(SYS_fcntl, fd_, close_on_exec ? F_DUPFD_CLOEXEC : F_DUPFD, 0));
}

}  // namespace railgauge
