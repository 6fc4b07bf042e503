#include "cli/options.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(ColorOptionTest, CanBeForced) {
  EXPECT_TRUE(ColorOption{"always"}.UseColor());
  EXPECT_FALSE(ColorOption{"never"}.UseColor());
}

}  // namespace
}  // namespace railgauge
