#include "lib/emulator/uverbs/pinned_pages.h"

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace railgauge {
namespace {

constexpr uint64_t kPage = 4096;

class Mapping {
 public:
  Mapping(uint64_t pages, int protection) : bytes_(pages * kPage) {
    memory_ = mmap(nullptr, bytes_, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  ~Mapping() { munmap(memory_, bytes_); }
  uint64_t address() const { return reinterpret_cast<uint64_t>(memory_); }

 private:
  uint64_t bytes_;
  void* memory_;
};

int ErrorOf(const tl::expected<PinnedPages, int>& result) { return result ? 0 : result.error(); }

TEST(PinnedPages, CountsTouchedPagesAndGivesThemBack) {
  const Mapping mapping(4, PROT_READ | PROT_WRITE);
  ASSERT_EQ(PinnedPages::TotalPages(), 0u);
  {
    auto two = PinnedPages::Pin(mapping.address() + 4095, 2, true);
    ASSERT_TRUE(two.has_value());
    EXPECT_EQ(PinnedPages::TotalPages(), 2u);
    const PinnedPages moved = *std::move(two);
    EXPECT_EQ(PinnedPages::TotalPages(), 2u);
  }
  EXPECT_EQ(PinnedPages::TotalPages(), 0u);
}

TEST(PinnedPages, RefusesWhatTheKernelRefuses) {
  const Mapping read_only(1, PROT_READ);
  const Mapping none(1, PROT_NONE);
  EXPECT_EQ(ErrorOf(PinnedPages::Pin(read_only.address(), kPage, false)), 0);
  EXPECT_EQ(ErrorOf(PinnedPages::Pin(read_only.address(), kPage, true)), EFAULT);
  EXPECT_EQ(ErrorOf(PinnedPages::Pin(none.address(), kPage, false)), EFAULT);
  EXPECT_EQ(ErrorOf(PinnedPages::Pin(kPage, kPage, false)), EFAULT);  // not mapped
  EXPECT_EQ(ErrorOf(PinnedPages::Pin(read_only.address(), 0, false)), EINVAL);
  EXPECT_EQ(ErrorOf(PinnedPages::Pin(UINT64_MAX - 10, kPage, false)), EINVAL);
  EXPECT_EQ(PinnedPages::TotalPages(), 0u);
}

// In a child: drops CAP_IPC_LOCK, sets the limit, pins, and exits with the errno value.
int PinWithLimit(uint64_t limit_bytes, uint64_t pages) {
  const pid_t child = fork();
  if (child == 0) {
    __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct none[2] = {};
    const rlimit limit = {limit_bytes, limit_bytes};
    if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0) _exit(255);
    if (syscall(SYS_capset, &header, none) != 0) _exit(255);
    const Mapping mapping(pages, PROT_READ | PROT_WRITE);
    _exit(ErrorOf(PinnedPages::Pin(mapping.address(), pages * kPage, true)));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(PinnedPages, KeepsTheMemlockLimitWithoutTheCapability) {
  EXPECT_EQ(PinWithLimit(8 * kPage, 8), 0);
  EXPECT_EQ(PinWithLimit(8 * kPage, 9), ENOMEM);
  EXPECT_EQ(PinWithLimit(0, 1), EPERM);
}

}  // namespace
}  // namespace railgauge
