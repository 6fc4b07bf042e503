// PinnedPages: pages of this process kept for a device, counted against RLIMIT_MEMLOCK.
//
// Stands for the kernel's ib_umem: same checks, same errno values. MADV_POPULATE_* faults the pages
// in with the right access, which finds unmapped and read-only memory as pinning does; what it does
// not do is keep them when the application unmaps them (the device model then meets a fault).
#ifndef RAILGAUGE_LIB_EMULATOR_UVERBS_PINNED_PAGES_H_
#define RAILGAUGE_LIB_EMULATOR_UVERBS_PINNED_PAGES_H_

#include <cstdint>
#include <tl/expected.hpp>
#include <utility>

namespace railgauge {

class PinnedPages {
 public:
  PinnedPages() = default;
  // The pages that [address, address + length) touches. EINVAL: empty or wraps around; EPERM: the
  // limit is 0; ENOMEM: over the limit without CAP_IPC_LOCK; EFAULT: not accessible.
  static tl::expected<PinnedPages, int> Pin(uint64_t address, uint64_t length, bool writable);
  PinnedPages(PinnedPages&& other) noexcept : pages_(std::exchange(other.pages_, 0)) {}
  PinnedPages& operator=(PinnedPages&& other) noexcept {
    std::swap(pages_, other.pages_);
    return *this;
  }
  ~PinnedPages();

  // Of the whole process.
  static uint64_t TotalPages();

 private:
  explicit PinnedPages(uint64_t pages) : pages_(pages) {}
  uint64_t pages_ = 0;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_UVERBS_PINNED_PAGES_H_
