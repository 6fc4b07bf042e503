#include "lib/emulator/device/region_allocator.h"

#include <gtest/gtest.h>

namespace railgauge::efa {
namespace {

TEST(RegionAllocatorTest, WholePagesFirstFit) {
  RegionAllocator allocator(4 * 4096);
  EXPECT_EQ(allocator.Allocate(1), 0u);
  EXPECT_EQ(allocator.Allocate(4097), 4096u);
  EXPECT_FALSE(allocator.Allocate(4097).has_value());
  EXPECT_EQ(allocator.Allocate(4096), 3u * 4096);
  EXPECT_FALSE(allocator.Allocate(1).has_value());
  allocator.Free(4096);
  EXPECT_EQ(allocator.Allocate(4096), 4096u);
  EXPECT_EQ(allocator.Allocate(4096), 2u * 4096);
}

TEST(RegionAllocatorTest, NothingFitsAnEmptyBar) {
  EXPECT_FALSE(RegionAllocator(0).Allocate(1).has_value());
}

}  // namespace
}  // namespace railgauge::efa
