#include "lib/emulator/fabric/process_copy.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "lib/emulator/preload/fault_handler.h"

namespace railgauge {
namespace {

using efa::CopyOutcome;
using efa::kOwnMemory;
using efa::MemoryCopy;

constexpr size_t kBytes = size_t{1} << 20;

std::byte* Map(size_t bytes) {
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
}

// A child with its own copy of `memory`, which it then only keeps.
class Keeper {
 public:
  Keeper() : pid_(fork()) {
    if (pid_ != 0) return;
    for (;;) pause();
  }
  ~Keeper() { Kill(); }
  void Kill() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    dead_ = pid_;
    pid_ = -1;
  }
  efa::MemoryOwner owner() const { return static_cast<efa::MemoryOwner>(pid_ > 0 ? pid_ : dead_); }

 private:
  pid_t pid_, dead_ = -1;
};

class ProcessCopyTest : public testing::Test {
 protected:
  ProcessCopyTest() {
    InstallFaultHandler([](uint64_t) { return false; }, [](uint64_t, uint32_t) { return false; });
    for (size_t i = 0; i < kBytes; ++i) pattern_[i] = static_cast<std::byte>(i * 7 + (i >> 9));
  }
  ~ProcessCopyTest() override {
    munmap(pattern_, kBytes);
    munmap(empty_, kBytes);
  }
  CopyOutcome Copy(std::byte* to, efa::MemoryOwner to_owner, const std::byte* from,
                   efa::MemoryOwner from_owner, size_t bytes) {
    const MemoryCopy copy = {.destination = to,
                             .source = from,
                             .bytes = bytes,
                             .destination_owner = to_owner,
                             .source_owner = from_owner};
    return copier_.Copy(std::span(&copy, 1));
  }

  std::byte* const pattern_ = Map(kBytes);
  std::byte* const empty_ = Map(kBytes);
  ProcessCopy copier_;
};

TEST_F(ProcessCopyTest, BetweenTwoOtherProcesses) {
  const Keeper a, b;
  ASSERT_EQ(Copy(empty_, b.owner(), pattern_, a.owner(), kBytes), CopyOutcome::kDone);
  EXPECT_EQ(empty_[5], std::byte{0});  // it is b's that was written
  ASSERT_EQ(Copy(empty_, kOwnMemory, empty_, b.owner(), kBytes), CopyOutcome::kDone);
  EXPECT_EQ(std::memcmp(empty_, pattern_, kBytes), 0);
}

TEST_F(ProcessCopyTest, ManySmallPiecesAndOwners) {
  const Keeper a, b;
  std::vector<MemoryCopy> copies;
  for (size_t i = 0; i + 64 <= kBytes; i += 256) {
    copies.push_back(
        {empty_ + i, pattern_ + i, 64, b.owner(), i % 512 == 0 ? a.owner() : kOwnMemory});
  }
  ASSERT_EQ(copier_.Copy(copies), CopyOutcome::kDone);
  ASSERT_EQ(Copy(empty_, kOwnMemory, empty_, b.owner(), kBytes), CopyOutcome::kDone);
  for (size_t i = 0; i < kBytes; ++i) {
    ASSERT_EQ(empty_[i], i % 256 < 64 ? pattern_[i] : std::byte{0}) << i;
  }
}

TEST_F(ProcessCopyTest, SaysWhichSideIsNotThere) {
  const Keeper a;
  std::byte* const nowhere = Map(kBytes);
  munmap(nowhere, kBytes);
  EXPECT_EQ(Copy(empty_, kOwnMemory, nowhere, a.owner(), 100), CopyOutcome::kSourceFault);
  EXPECT_EQ(Copy(nowhere, a.owner(), pattern_, kOwnMemory, 100), CopyOutcome::kDestinationFault);
  EXPECT_EQ(Copy(nowhere, kOwnMemory, pattern_, a.owner(), 100), CopyOutcome::kDestinationFault);
  EXPECT_EQ(Copy(empty_, a.owner(), nowhere, kOwnMemory, 100), CopyOutcome::kSourceFault);
  EXPECT_EQ(Copy(nowhere, kOwnMemory, pattern_, kOwnMemory, 100), CopyOutcome::kDestinationFault);
}

TEST_F(ProcessCopyTest, SaysThatAProcessIsGone) {
  Keeper a, b;
  a.Kill();
  EXPECT_EQ(Copy(empty_, b.owner(), pattern_, a.owner(), 100), CopyOutcome::kSourceGone);
  EXPECT_EQ(Copy(empty_, a.owner(), pattern_, b.owner(), 100), CopyOutcome::kDestinationGone);
}

}  // namespace
}  // namespace railgauge
