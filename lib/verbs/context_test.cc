#include "lib/verbs/context.h"

#include <type_traits>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

static_assert(!std::is_copy_constructible_v<Context>);
static_assert(std::is_nothrow_move_constructible_v<Context>);
static_assert(std::is_move_assignable_v<Context>);

TEST(ContextTest, AnUnknownNameIsOneClearLine) {
  const auto context = Context::Open("rdmap999s9");
  ASSERT_FALSE(context);
  EXPECT_EQ(context.error().ToString(),
            "open RDMA device rdmap999s9: there is no device of exactly this name. "
            "`ibv_devices` lists them.");
}

TEST(PortRateTest, IsLanesTimesLaneRate) {
  EXPECT_EQ(PortRate(2, 32), 100);   // 4X EDR
  EXPECT_EQ(PortRate(2, 64), 200);   // 4X HDR
  EXPECT_EQ(PortRate(2, 128), 400);  // 4X NDR
  EXPECT_EQ(PortRate(4, 64), 400);   // 8X HDR
}

TEST(PortRateTest, UnknownCodesAreUnknown) {
  EXPECT_FALSE(PortRate(0, 32));
  EXPECT_FALSE(PortRate(2, 0));
  EXPECT_FALSE(PortRate(2, 3));
}

}  // namespace
}  // namespace railgauge
