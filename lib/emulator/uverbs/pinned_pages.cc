#include "lib/emulator/uverbs/pinned_pages.h"

#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <atomic>
#include <cerrno>

#include "lib/emulator/uverbs/raw_syscall.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

namespace railgauge {

namespace {

constexpr uint64_t kPageBytes = 4096;
std::atomic<uint64_t> g_pinned_pages{0};

bool HasIpcLockCapability() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (RawSyscall(SYS_capget, &header, data) != 0) return false;
  return (data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK)) != 0;
}

// Bytes; what prlimit64(2) says of this process.
uint64_t MemlockLimit() {
  struct {
    uint64_t soft, hard;
  } limit = {};
  if (RawSyscall(SYS_prlimit64, 0, RLIMIT_MEMLOCK, nullptr, &limit) != 0) return 0;
  return limit.soft;
}

// Linux 5.14. EINVAL also means "no permission", hence a page that surely has it.
bool KernelCanPopulate() {
  alignas(kPageBytes) static char page[kPageBytes];
  return RawSyscall(SYS_madvise, page, kPageBytes, MADV_POPULATE_READ) == 0;
}

}  // namespace

tl::expected<PinnedPages, int> PinnedPages::Pin(uint64_t address, uint64_t length, bool writable) {
  const uint64_t first = address & ~(kPageBytes - 1);
  const uint64_t end = (address + length + kPageBytes - 1) & ~(kPageBytes - 1);
  if (length == 0 || address + length < address || end < address + length) {
    return tl::unexpected(EINVAL);
  }
  const uint64_t pages = (end - first) / kPageBytes;
  const uint64_t limit = MemlockLimit();
  const bool unlimited = limit == UINT64_MAX || HasIpcLockCapability();
  if (limit == 0 && !unlimited) return tl::unexpected(EPERM);
  const uint64_t before = g_pinned_pages.fetch_add(pages);
  PinnedPages pinned(pages);  // gives the count back on every way out
  if (!unlimited && before + pages > limit / kPageBytes) return tl::unexpected(ENOMEM);
  const int64_t status = RawSyscall(SYS_madvise, first, end - first,
                                    writable ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
  // Where the kernel cannot, pages are faulted in by their use.
  if (status != 0 && KernelCanPopulate()) return tl::unexpected(EFAULT);
  return pinned;
}

PinnedPages::~PinnedPages() { g_pinned_pages.fetch_sub(pages_); }

uint64_t PinnedPages::TotalPages() { return g_pinned_pages.load(); }

}  // namespace railgauge
