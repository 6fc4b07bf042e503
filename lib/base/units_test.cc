#include "lib/base/units.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(UnitsTest, ParsesBytes) {
  EXPECT_EQ(ParseBytes("4096")->count, 4096u);
  EXPECT_EQ(ParseBytes("1MiB")->count, 1u << 20);
  EXPECT_EQ(ParseBytes("1.5KiB")->count, 1536u);
  EXPECT_EQ(ParseBytes("80GB")->count, 80'000'000'000u);
}

TEST(UnitsTest, ParsesRatesInBytesAndBits) {
  EXPECT_DOUBLE_EQ(ParseBytesPerSecond("12.5GB/s")->value, 12.5e9);
  EXPECT_DOUBLE_EQ(ParseBytesPerSecond("100Gb/s")->value, 12.5e9);
  EXPECT_DOUBLE_EQ(ParseBytesPerSecond("100 Gb/s")->value, 12.5e9);
}

TEST(UnitsTest, ParsesDurations) {
  EXPECT_EQ(*ParseDuration("20us"), std::chrono::microseconds(20));
  EXPECT_EQ(*ParseDuration("1.5s"), std::chrono::milliseconds(1500));
  EXPECT_EQ(*ParseDuration("2min"), std::chrono::minutes(2));
}

TEST(UnitsTest, WrongUnitIsNamed) {
  const auto rate = ParseBytesPerSecond("12.5GiB/s");
  ASSERT_FALSE(rate);
  EXPECT_EQ(rate.error().ToString(),
            "read quantity '12.5GiB/s': 'GiB/s' is no unit here. Write it like 12.5GB/s or "
            "100Gb/s.");
  EXPECT_FALSE(ParseBytesPerSecond("12.5"));
  EXPECT_FALSE(ParseDuration("10"));
  EXPECT_FALSE(ParseBytes("1mib"));
}

TEST(UnitsTest, RefusesNonsense) {
  for (const char* text : {"", "-1", "nan", "inf", "x", "1e999", "0.5", "99999999999999999999"}) {
    EXPECT_FALSE(ParseBytes(text)) << text;
  }
  EXPECT_FALSE(ParseDuration("1e30h"));
  EXPECT_TRUE(ParseDuration("8760h"));
  EXPECT_FALSE(ParseDuration("8761h"));
}

TEST(UnitsTest, FormatsForPeople) {
  EXPECT_EQ(FormatBytes({1 << 20}), "1MiB");
  EXPECT_EQ(FormatBytes({1000}), "1000B");
  EXPECT_EQ(FormatBytes({0}), "0B");
  EXPECT_EQ(FormatBytesPerSecond({12.5e9}), "12.50 GB/s");
  EXPECT_EQ(FormatBytesPerSecond({1e9}), "1.00 GB/s");
  EXPECT_EQ(FormatBytesPerSecond({3.2e6}), "3.20 MB/s");
  EXPECT_EQ(FormatBytesPerSecond({2500}), "2.50 kB/s");
  EXPECT_EQ(FormatBytesPerSecond({0.5}), "0.50 B/s");
  EXPECT_EQ(FormatBytesPerSecond({0}), "0.00 GB/s");
  EXPECT_EQ(FormatDuration(std::chrono::seconds(125)), "2 min 5 s");
}

}  // namespace
}  // namespace railgauge
