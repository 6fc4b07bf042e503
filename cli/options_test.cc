#include "cli/options.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(ParseSizesTest, KeepsTheOrder) {
  const auto sizes = ParseSizes("1MiB,4096,64KiB");
  ASSERT_TRUE(sizes);
  EXPECT_EQ(*sizes, (std::vector<Bytes>{{1 << 20}, {4096}, {64 << 10}}));
}

TEST(ParseSizesTest, RefusesWhatIsNoList) {
  for (const char* text : {"", ",", "1MiB,", ",1MiB", "1MiB,1024KiB", "0", "1MB/s", "one"}) {
    EXPECT_FALSE(ParseSizes(text)) << text;
  }
}

TEST(ColorOptionTest, CanBeForced) {
  EXPECT_TRUE(ColorOption{"always"}.UseColor());
  EXPECT_FALSE(ColorOption{"never"}.UseColor());
}

}  // namespace
}  // namespace railgauge
