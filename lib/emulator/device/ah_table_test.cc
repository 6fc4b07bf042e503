#include "lib/emulator/device/ah_table.h"

#include <gtest/gtest.h>

namespace railgauge::efa {
namespace {

constexpr Gid kOne = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
constexpr Gid kTwo = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};

TEST(AhTableTest, SamePdAndGidIsOneHandle) {
  AhTable table(8);
  const auto first = table.Create(1, kOne);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(table.Create(1, kOne), first);
  EXPECT_NE(table.Create(2, kOne), first);
  EXPECT_NE(table.Create(1, kTwo), first);
  EXPECT_EQ(table.FindByGid(1, kOne), first);
  ASSERT_NE(table.Find(1, *first), nullptr);
  EXPECT_EQ(*table.Find(1, *first), kOne);
}

TEST(AhTableTest, EachCreateNeedsItsDestroy) {
  AhTable table(8);
  const uint16_t ah = table.Create(1, kOne).value();
  table.Create(1, kOne);
  EXPECT_TRUE(table.Destroy(1, ah));
  EXPECT_NE(table.Find(1, ah), nullptr);
  EXPECT_TRUE(table.Destroy(1, ah));
  EXPECT_EQ(table.Find(1, ah), nullptr);
  EXPECT_FALSE(table.FindByGid(1, kOne).has_value());
  EXPECT_FALSE(table.Destroy(1, ah));
}

TEST(AhTableTest, BelongsToItsPd) {
  AhTable table(8);
  const uint16_t ah = table.Create(1, kOne).value();
  EXPECT_EQ(table.Find(2, ah), nullptr);
  EXPECT_FALSE(table.Destroy(2, ah));
  EXPECT_EQ(table.Find(1, 0xffff), nullptr);
}

TEST(AhTableTest, LimitCountsDistinctHandles) {
  AhTable table(1);
  EXPECT_TRUE(table.Create(1, kOne).has_value());
  EXPECT_TRUE(table.Create(1, kOne).has_value());
  EXPECT_FALSE(table.Create(1, kTwo).has_value());
}

}  // namespace
}  // namespace railgauge::efa
