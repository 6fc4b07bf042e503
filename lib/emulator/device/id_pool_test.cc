#include "lib/emulator/device/id_pool.h"

#include <gtest/gtest.h>

namespace railgauge::efa {
namespace {

TEST(IdPoolTest, CountsUpAndEnds) {
  IdPool pool(2);
  EXPECT_EQ(pool.Allocate(), 0u);
  EXPECT_EQ(pool.Allocate(), 1u);
  EXPECT_FALSE(pool.Allocate().has_value());
  EXPECT_FALSE(IdPool(0).Allocate().has_value());
}

TEST(IdPoolTest, ReusesTheLongestUnusedFirst) {
  IdPool pool(3);
  pool.Allocate();
  pool.Free(0);
  EXPECT_EQ(pool.Allocate(), 1u);  // 2 was never used, so 0 waits
  EXPECT_EQ(pool.Allocate(), 2u);
  pool.Free(1);
  EXPECT_EQ(pool.Allocate(), 0u);
  EXPECT_EQ(pool.Allocate(), 1u);
  EXPECT_FALSE(pool.Allocate().has_value());
}

}  // namespace
}  // namespace railgauge::efa
