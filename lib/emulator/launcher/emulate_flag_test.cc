#include "lib/emulator/launcher/emulate_flag.h"

#include <gtest/gtest.h>

namespace railgauge {
namespace {

using Arguments = std::vector<std::string>;

TEST(EmulateFlag, WithoutItNothingChanges) {
  const auto flag = *TakeEmulateFlag({"tool", "check", "--emulated=x", "-v"});
  EXPECT_FALSE(flag.spec.has_value());
  EXPECT_EQ(flag.remaining, (Arguments{"tool", "check", "--emulated=x", "-v"}));
}

TEST(EmulateFlag, TheLastOneWinsAndAllAreTaken) {
  const auto flag = *TakeEmulateFlag({"tool", "--emulate=a", "check", "--emulate", "b,slow", "-v"});
  EXPECT_EQ(flag.spec, "b,slow");
  EXPECT_EQ(flag.remaining, (Arguments{"tool", "check", "-v"}));
}

TEST(EmulateFlag, NotAfterTheEndOfFlags) {
  const auto flag = *TakeEmulateFlag({"tool", "--", "--emulate=a"});
  EXPECT_FALSE(flag.spec.has_value());
  EXPECT_EQ(flag.remaining, (Arguments{"tool", "--", "--emulate=a"}));
}

TEST(EmulateFlag, NeedsAValue) {
  EXPECT_FALSE(TakeEmulateFlag({"tool", "--emulate"}).has_value());
  EXPECT_FALSE(TakeEmulateFlag({"tool", "--emulate=", "x"}).has_value());
  EXPECT_FALSE(TakeEmulateFlag({"tool", "check", "--emulate", "--placement=x"}).has_value());
  EXPECT_FALSE(TakeEmulateFlag({"tool", "--emulate=--help"}).has_value());
}

}  // namespace
}  // namespace railgauge
