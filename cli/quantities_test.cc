#include "cli/quantities.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(ParseSizesTest, KeepsTheOrder) {
  const auto sizes = ParseSizes("1MiB,4096,64KiB");
  ASSERT_TRUE(sizes);
  EXPECT_EQ(*sizes, (std::vector<Bytes>{{1 << 20}, {4096}, {64 << 10}}));
}

TEST(ParseSizesTest, RefusesWhatIsNoListAndNamesTheFlag) {
  for (const char* text : {"", ",", "1MiB,", ",1MiB", "1MiB,1024KiB", "0", "1MB/s", "one", "0.5"}) {
    const auto sizes = ParseSizes(text);
    ASSERT_FALSE(sizes) << text;
    EXPECT_EQ(sizes.error().operation, "read --sizes") << text;
    EXPECT_FALSE(sizes.error().advice.empty()) << text;
  }
}

TEST(ParseSizesTest, SaysWhichOneAndWhat) {
  EXPECT_EQ(ParseSizes("1MiB,0").error().ToString(),
            "read --sizes '0': a message has at least one byte. Write it like "
            "--sizes=64KiB,1MiB.");
  EXPECT_EQ(ParseSizes("1MiB,1024KiB").error().ToString(),
            "read --sizes '1024KiB': this size is there twice. Write it like "
            "--sizes=64KiB,1MiB.");
}

TEST(ParseTimeBudgetTest, NamesTheFlag) {
  EXPECT_EQ(*ParseTimeBudget("2min"), std::chrono::minutes(2));
  for (const char* text : {"", "10", "-1s", "0s", "9999999h", "1e300h"}) {
    const auto budget = ParseTimeBudget(text);
    ASSERT_FALSE(budget) << text;
    EXPECT_EQ(budget.error().operation, "read --time-budget") << text;
    EXPECT_FALSE(budget.error().advice.empty()) << text;
  }
}

TEST(CheckSizesFitTest, TheSmallestMemoryDecides) {
  const WorkingSet memory = {Bytes{512 << 20}, Bytes{64 << 20}, {}};
  const MemoryPlace gpu = MemoryPlace::Gpu(PciAddress{0, 0x53, 0, 0});
  const MemoryPlace host = MemoryPlace::NumaNode(0);
  EXPECT_TRUE(CheckSizesFit({Bytes{64 << 20}}, {host, gpu}, memory));
  EXPECT_TRUE(CheckSizesFit({Bytes{128 << 20}}, {host}, memory));
  EXPECT_TRUE(CheckSizesFit({}, {host}, memory));
  const Status status = CheckSizesFit({Bytes{4096}, Bytes{128 << 20}}, {host, gpu}, memory);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().ToString(),
            "read --sizes '128MiB': a run rotates over 64MiB in gpu:0000:53:00.0, and a message "
            "must fit. Give at most 64MiB.");
}

}  // namespace
}  // namespace railgauge
