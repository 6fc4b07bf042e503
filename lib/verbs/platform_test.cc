#include "lib/verbs/platform.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(PlatformTest, OnlyTheFirmwarePrefixMakesADeviceEmulated) {
  EXPECT_EQ(PlatformOf("emulated-1.0"), "emulated");
  EXPECT_EQ(PlatformOf("0.0.0.0"), "hardware");
  EXPECT_EQ(PlatformOf("not-emulated-1.0"), "hardware");
  EXPECT_EQ(PlatformOf(""), "hardware");
}

}  // namespace
}  // namespace railgauge
