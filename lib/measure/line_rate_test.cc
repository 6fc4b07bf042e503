#include "lib/measure/line_rate.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(LineRateTest, TheLargerOfPortAndType) {
  EXPECT_EQ(LineRate("p5en.48xlarge", 200), BytesPerSecond{25e9});
  EXPECT_EQ(LineRate("p5en.48xlarge", 100), BytesPerSecond{25e9}) << "the driver reports less";
  EXPECT_EQ(LineRate("p5en.48xlarge", 400), BytesPerSecond{50e9}) << "a newer NIC";
  EXPECT_EQ(LineRate("p5en.48xlarge", std::nullopt), BytesPerSecond{25e9});
}

TEST(LineRateTest, OfAnUnknownTypeThePortBoundsIt) {
  EXPECT_EQ(LineRate("p9.48xlarge", 100), BytesPerSecond{25e9});
  EXPECT_EQ(LineRate("", 200), BytesPerSecond{50e9});
}

TEST(LineRateTest, AnAssumedRateBoundsNothing) {
  EXPECT_EQ(LineRate("p6e-gb200.36xlarge", 100), BytesPerSecond{25e9}) << "as of an unknown type";
  EXPECT_EQ(LineRate("p6e-gb200.36xlarge", std::nullopt), std::nullopt);
}

TEST(LineRateTest, UnknownStaysUnknown) {
  EXPECT_EQ(LineRate("", std::nullopt), std::nullopt);
  EXPECT_EQ(LineRate("p9.48xlarge", 0), std::nullopt);
  EXPECT_EQ(LineRate("p9.48xlarge", 400), std::nullopt) << "or more";
}

}  // namespace
}  // namespace railgauge
