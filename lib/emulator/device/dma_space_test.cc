#include "lib/emulator/device/dma_space.h"

#include <gtest/gtest.h>

#include <array>

namespace railgauge::efa {
namespace {

TEST(DmaSpaceTest, ResolvesWithinOneRange) {
  DmaSpace space;
  std::array<std::byte, 10'000> memory{};
  const MemoryPlace place = MemoryPlace::NumaNode(1);
  const uint64_t address =
      space.Add({memory.data(), memory.size(), place, RegistrationWay::kDmabuf});
  EXPECT_NE(address, 0u);
  EXPECT_EQ(address % 4096, 0u);
  const auto range = space.Resolve(address + 100, 9'900);
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->memory, memory.data() + 100);
  EXPECT_EQ(range->length, 9'900u);
  EXPECT_EQ(range->place, place);
  EXPECT_EQ(range->way, RegistrationWay::kDmabuf);
}

TEST(DmaSpaceTest, RefusesWhatIsNotWhollyInside) {
  DmaSpace space;
  std::array<std::byte, 8192> memory{};
  const uint64_t first = space.Add({memory.data(), 4096, {}, {}});
  const uint64_t second = space.Add({memory.data() + 4096, 4096, {}, {}});
  EXPECT_FALSE(space.Resolve(first - 1, 1).has_value());
  EXPECT_FALSE(space.Resolve(first, 4097).has_value());
  EXPECT_FALSE(space.Resolve(first + 4096, 1).has_value());
  EXPECT_FALSE(space.Resolve(first + 1, ~uint64_t{0}).has_value());
  EXPECT_FALSE(space.Resolve(0, 1).has_value());
  // A page between ranges: a run over the end of one does not reach the next.
  EXPECT_GE(second, first + 2 * 4096);
}

TEST(DmaSpaceTest, AddressesAreNotReused) {
  DmaSpace space;
  std::array<std::byte, 4096> memory{};
  const uint64_t first = space.Add({memory.data(), memory.size(), {}, {}});
  space.Remove(first);
  EXPECT_FALSE(space.Resolve(first, 1).has_value());
  EXPECT_NE(space.Add({memory.data(), memory.size(), {}, {}}), first);
}

}  // namespace
}  // namespace railgauge::efa
