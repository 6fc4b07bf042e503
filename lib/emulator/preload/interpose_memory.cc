// Interposed: mmap and munmap.
#include <sys/mman.h>

#include <cstdint>

#include "lib/emulator/preload/emulated_process.h"
#include "lib/emulator/preload/interpose.h"
#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {
namespace {

void* Map(void* address, size_t length, int protection, int flags, int fd, off_t offset) {
  EmulatedProcess* process = EmulatedProcess::IfMade();
  UverbsHost* host = process == nullptr ? nullptr : process->host();
  const auto arena_offset = static_cast<uint64_t>(offset);
  const bool doorbells =
      host != nullptr && fd >= 0 && host->IsOpen(fd) && host->IsDoorbellPage(arena_offset);
  // A store to a doorbell has to fault: that is how the device hears of it.
  if (doorbells) protection = PROT_READ;
  const int64_t mapped = RawSyscall(SYS_mmap, address, length, protection, flags, fd, offset);
  if (mapped < 0 && mapped >= -4095) {
    errno = static_cast<int>(-mapped);
    return MAP_FAILED;
  }
  const auto at = static_cast<uint64_t>(mapped);
  if (process != nullptr) process->ForgetMappings(at, length);
  if (doorbells) process->AddDoorbells(at, length, arena_offset);
  return reinterpret_cast<void*>(at);
}

}  // namespace
}  // namespace railgauge

RAILGAUGE_INTERPOSED void* mmap(void* address, size_t length, int protection, int flags, int fd,
                                off_t offset) noexcept {
  return railgauge::Map(address, length, protection, flags, fd, offset);
}
RAILGAUGE_INTERPOSED void* mmap64(void* address, size_t length, int protection, int flags, int fd,
                                  off64_t offset) noexcept {
  return railgauge::Map(address, length, protection, flags, fd, offset);
}

RAILGAUGE_INTERPOSED int munmap(void* address, size_t length) noexcept {
  // Forgotten first: as soon as it is unmapped another thread may map something else there.
  if (railgauge::EmulatedProcess* process = railgauge::EmulatedProcess::IfMade()) {
    process->ForgetMappings(reinterpret_cast<uint64_t>(address), length);
  }
  return railgauge::LibcInt(railgauge::RawSyscall(SYS_munmap, address, length));
}
