#include "lib/emulator/cuda/gpu_memory.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;

TEST(GpuMemoryTest, AllocationsAreAlignedZeroedAndSparse) {
  GpuMemory memory({80 * kGiB});
  const auto allocation = memory.Allocate(0, 60 * kGiB);  // more than most test machines have
  ASSERT_NE(allocation, nullptr);
  EXPECT_EQ(allocation->device_pointer() % GpuMemory::kBlock, 0u);
  EXPECT_EQ(allocation->length(), 60 * kGiB);
  EXPECT_EQ(allocation->bytes()[59 * kGiB], std::byte{0});
  struct stat status = {};
  ASSERT_EQ(fstat(allocation->memfd(), &status), 0);
  EXPECT_LE(status.st_blocks * 512, 2 << 20);
}

TEST(GpuMemoryTest, CountsWhatIsLeftOfEachGpu) {
  GpuMemory memory({6 << 20, 2 << 20});
  EXPECT_EQ(memory.Allocate(1, (2 << 20) + 1), nullptr);
  EXPECT_EQ(memory.Allocate(0, ~uint64_t{0}), nullptr);
  const auto a = memory.Allocate(0, 1);
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->length(), GpuMemory::kBlock);
  ASSERT_NE(memory.Allocate(0, 4 << 20), nullptr);
  EXPECT_EQ(memory.Allocate(0, 1), nullptr);
  EXPECT_NE(memory.Allocate(1, 1), nullptr);
  EXPECT_TRUE(memory.Free(a->device_pointer()));
  EXPECT_NE(memory.Allocate(0, 1), nullptr);
}

TEST(GpuMemoryTest, FindsOnlyWhatLiesWhollyInOneAllocation) {
  GpuMemory memory({kGiB});
  const auto a = memory.Allocate(0, 4 << 20);
  ASSERT_NE(a, nullptr);
  const uint64_t pointer = a->device_pointer();
  EXPECT_EQ(memory.Find(pointer, 4 << 20), a);
  EXPECT_EQ(memory.Find(pointer + 100, 1), a);
  EXPECT_EQ(memory.Find(pointer + 100, 4 << 20), nullptr);
  EXPECT_EQ(memory.Find(pointer + (4 << 20), 1), nullptr);
  EXPECT_EQ(memory.Find(pointer - 1, 1), nullptr);
  EXPECT_EQ(memory.Find(pointer + 1, ~uint64_t{0}), nullptr);
  EXPECT_FALSE(memory.Free(pointer + 1));
  EXPECT_TRUE(memory.Free(pointer));
  EXPECT_FALSE(memory.Free(pointer));
  EXPECT_EQ(memory.Find(pointer, 1), nullptr);
  EXPECT_EQ(a->bytes()[0], std::byte{0});  // still there for whoever holds it
}

TEST(GpuMemoryTest, ADmabufHasItsOwnPositionAndTheSameBytes) {
  GpuMemory memory({kGiB});
  const auto a = memory.Allocate(0, 2 << 20);
  ASSERT_NE(a, nullptr);
  const UniqueFd whole(a->ExportDmabuf(0));
  const UniqueFd part(a->ExportDmabuf(8192));
  ASSERT_TRUE(whole.valid() && part.valid());
  EXPECT_EQ(lseek(whole.get(), 0, SEEK_CUR), 0);
  EXPECT_EQ(lseek(part.get(), 0, SEEK_CUR), 8192);
  EXPECT_EQ(lseek(a->memfd(), 0, SEEK_CUR), 0);
  struct stat mine = {}, theirs = {};
  ASSERT_EQ(fstat(a->memfd(), &mine), 0);
  ASSERT_EQ(fstat(part.get(), &theirs), 0);
  EXPECT_EQ(mine.st_ino, theirs.st_ino);

  std::memcpy(a->bytes() + 8192, "written", 8);
  void* view = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, part.get(), 8192);
  ASSERT_NE(view, MAP_FAILED);
  EXPECT_STREQ(static_cast<const char*>(view), "written");
  std::memcpy(view, "by DMA", 7);
  EXPECT_STREQ(reinterpret_cast<const char*>(a->bytes() + 8192), "by DMA");
  munmap(view, 4096);
}

TEST(GpuMemoryDeathTest, TheCpuCannotTouchADevicePointer) {
  GpuMemory memory({kGiB});
  const auto a = memory.Allocate(0, 1);
  ASSERT_NE(a, nullptr);
  auto* pointer = reinterpret_cast<volatile char*>(a->device_pointer());
  // A sanitizer's handler turns the signal into an exit.
  EXPECT_DEATH(*pointer = 1, "");
  EXPECT_DEATH((void)*pointer, "");
}

TEST(GpuMemoryTest, IsThreadSafe) {
  GpuMemory memory({kGiB});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&memory] {
      for (int i = 0; i < 200; ++i) {
        const auto a = memory.Allocate(0, 1);
        ASSERT_NE(a, nullptr);
        ASSERT_EQ(memory.Find(a->device_pointer(), 1), a);
        ASSERT_TRUE(memory.Free(a->device_pointer()));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_NE(memory.Allocate(0, kGiB), nullptr);  // all came back
}

}  // namespace
}  // namespace railgauge
