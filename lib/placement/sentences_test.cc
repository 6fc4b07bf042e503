#include "lib/placement/sentences.h"

#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

std::vector<NicKey> Nics(uint8_t count) {
  std::vector<NicKey> nics;
  for (uint8_t i = 0; i < count; ++i) nics.push_back({{0, i, 0, 0}, ""});
  return nics;
}

TEST(SentencesTest, Names) {
  EXPECT_EQ(NameOf({{0, 0xc6, 0, 0}, "rdmap198s0"}), "0000:c6:00.0 (rdmap198s0)");
  EXPECT_EQ(NameOf({{0, 0xc6, 0, 0}, ""}), "0000:c6:00.0");
}

TEST(SentencesTest, Lists) {
  EXPECT_EQ(ListOf(Nics(0)), "");
  EXPECT_EQ(ListOf(Nics(1)), "0000:00:00.0");
  EXPECT_EQ(ListOf(Nics(2)), "0000:00:00.0 and 0000:01:00.0");
  EXPECT_EQ(ListOf(Nics(3)), "0000:00:00.0, 0000:01:00.0 and 0000:02:00.0");
  EXPECT_EQ(ListOf(Nics(5), 2), "0000:00:00.0, 0000:01:00.0 and 3 more");
  EXPECT_EQ(ListOf(std::vector{MemoryPlace::NumaNode(0), MemoryPlace::NumaNode(1)}),
            "numa0 and numa1");
}

TEST(SentencesTest, Losses) {
  Comparison comparison;
  comparison.ratio = 0.75;
  EXPECT_EQ(LossOf(comparison), "25 % lost in single windows");
  comparison.interval = MedianInterval{{0.7, 1.05}, 0.996};
  comparison.rounds = 9;
  EXPECT_EQ(LossOf(comparison), "25 % lost, 0 to 30 % in 9 rounds");
}

TEST(SentencesTest, Measures) {
  MeasuredCell cell;
  cell.cell.size = Bytes{1 << 20};
  EXPECT_EQ(MeasureOf(cell), "READ to_memory, 1MiB");
  EXPECT_EQ(RateOf(cell), "no throughput");
  cell.median = 12.5e9;
  EXPECT_EQ(RateOf(cell), "12.50 GB/s");
}

}  // namespace
}  // namespace railgauge
