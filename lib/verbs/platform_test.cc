#include "lib/verbs/platform.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(PlatformTest, OnlyTheFirmwarePrefixMakesADeviceEmulated) {
  EXPECT_EQ(PlatformOf("emulated-1.0"), "emulated");
  EXPECT_EQ(PlatformOf("0.0.0.0"), "hardware");
  EXPECT_EQ(PlatformOf("not-emulated-1.0"), "hardware");
  EXPECT_EQ(PlatformOf(""), "hardware");
}

TEST(PlatformTest, OneEmulatedDeviceMakesTheMachineEmulated) {
  EXPECT_EQ(PlatformOfAll(std::vector<std::string>{"0.0.0.0", "", "emulated-1"}), "emulated");
  EXPECT_EQ(PlatformOfAll(std::vector<std::string>{"", "0.0.0.0"}), "hardware");
}

TEST(PlatformTest, NothingReadIsNotHardware) {
  EXPECT_EQ(PlatformOfAll(std::vector<std::string>{"", ""}), "unknown");
  EXPECT_EQ(PlatformOfAll({}), "unknown");
}

}  // namespace
}  // namespace railgauge
