#include "lib/emulator/device/uar_table.h"

#include <gtest/gtest.h>

namespace railgauge::efa {
namespace {

using Kind = DoorbellTarget::Kind;

TEST(UarTableTest, FindsWhatIsBound) {
  UarTable table(2);
  ASSERT_EQ(table.Allocate(), 0);
  ASSERT_EQ(table.Allocate(), 1);
  EXPECT_FALSE(table.Allocate().has_value());
  const auto offset = table.Bind(1, {Kind::kSendQueue, 42});
  ASSERT_TRUE(offset.has_value());
  EXPECT_EQ(*offset / UarTable::kPageSize, 1u);
  EXPECT_EQ(table.Find(*offset).kind, Kind::kSendQueue);
  EXPECT_EQ(table.Find(*offset).id, 42u);
  EXPECT_TRUE(table.InUse(1));
  EXPECT_FALSE(table.InUse(0));
  table.Unbind(*offset);
  EXPECT_EQ(table.Find(*offset).kind, Kind::kNone);
  EXPECT_FALSE(table.InUse(1));
}

TEST(UarTableTest, UnknownOffsetsAreNobodys) {
  UarTable table(2);
  table.Allocate();
  const uint32_t offset = table.Bind(0, {Kind::kCompletionQueue, 1}).value();
  EXPECT_EQ(table.Find(offset + 1).kind, Kind::kNone);  // not a word
  EXPECT_EQ(table.Find(offset + 4).kind, Kind::kNone);
  EXPECT_EQ(table.Find(UarTable::kPageSize).kind, Kind::kNone);  // not allocated
  EXPECT_EQ(table.Find(2 * UarTable::kPageSize).kind, Kind::kNone);
  EXPECT_EQ(table.Find(~uint64_t{3}).kind, Kind::kNone);
}

TEST(UarTableTest, APageEnds) {
  UarTable table(1);
  table.Allocate();
  for (uint32_t i = 0; i < UarTable::kPageSize / 4; ++i) {
    EXPECT_EQ(table.Bind(0, {Kind::kSendQueue, i}), i * 4);
  }
  EXPECT_FALSE(table.Bind(0, {Kind::kSendQueue, 0}).has_value());
  table.Unbind(8);
  EXPECT_EQ(table.Bind(0, {Kind::kReceiveQueue, 7}), 8u);
}

TEST(UarTableTest, FreedPagesComeBackEmpty) {
  UarTable table(1);
  table.Allocate();
  table.Free(0);
  EXPECT_FALSE(table.IsAllocated(0));
  EXPECT_FALSE(table.IsAllocated(1));
  EXPECT_EQ(table.Allocate(), 0);
  EXPECT_TRUE(table.IsAllocated(0));
}

}  // namespace
}  // namespace railgauge::efa
