#include "lib/emulator/uverbs/arena.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace railgauge {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

TEST(Arena, PiecesArePageAlignedAndZeroAndDisjoint) {
  const auto arena = *Arena::Create(kMiB);
  const auto a = arena->Allocate(1);
  const auto b = arena->Allocate(4097);
  ASSERT_TRUE(a.has_value() && b.has_value());
  EXPECT_NE(*a, 0u);
  EXPECT_EQ(*a % Arena::kPageBytes, 0u);
  EXPECT_EQ(*b - *a, Arena::kPageBytes);
  for (const std::byte byte : arena->At(*b, 4097)) EXPECT_EQ(byte, std::byte{0});
}

TEST(Arena, ADescriptorSeesWhatTheDeviceWrites) {
  const auto arena = *Arena::Create(kMiB);
  const auto piece = arena->Allocate(4096);
  const int fd = arena->Duplicate(true);
  ASSERT_GE(fd, 0);
  void* mapped = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, static_cast<off_t>(*piece));
  ASSERT_NE(mapped, MAP_FAILED);
  close(fd);
  arena->At(*piece, 4096)[7] = std::byte{42};
  EXPECT_EQ(static_cast<const std::byte*>(mapped)[7], std::byte{42});
  munmap(mapped, 4096);
}

TEST(Arena, FreedPiecesAreZeroedAndMerged) {
  const auto arena = *Arena::Create(5 * Arena::kPageBytes);  // four usable pages
  const auto a = arena->Allocate(Arena::kPageBytes);
  const auto b = arena->Allocate(Arena::kPageBytes);
  const auto c = arena->Allocate(2 * Arena::kPageBytes);
  ASSERT_TRUE(a && b && c);
  EXPECT_FALSE(arena->Allocate(1).has_value());
  std::memset(arena->At(*b, Arena::kPageBytes).data(), 1, Arena::kPageBytes);
  arena->Free(*a);
  arena->Free(*c);
  EXPECT_FALSE(arena->Allocate(3 * Arena::kPageBytes).has_value());
  arena->Free(*b);
  const auto all = arena->Allocate(4 * Arena::kPageBytes);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(arena->At(*b, 1)[0], std::byte{0});
}

TEST(ArenaDeathTest, FreeingWhatIsNotAllocatedAborts) {
  const auto arena = *Arena::Create(kMiB);
  EXPECT_DEATH(arena->Free(4096), "used");
}

}  // namespace
}  // namespace railgauge
