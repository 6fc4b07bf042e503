#include "lib/measure/shape.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(DefaultDepthTest, KeepsTheBytesInFlightWithinItsBounds) {
  EXPECT_EQ(DefaultDepth(Bytes{8}), kMaxDepth);
  EXPECT_EQ(DefaultDepth(Bytes{4096}), kMaxDepth);
  EXPECT_EQ(DefaultDepth(Bytes{64 << 10}), 512u);
  EXPECT_EQ(DefaultDepth(Bytes{1 << 20}), 32u);
  EXPECT_EQ(DefaultDepth(Bytes{8 << 20}), 4u);
  EXPECT_EQ(DefaultDepth(Bytes{1 << 30}), kMinDepth);
}

TEST(DefaultDepthTest, IsTwiceTheBandwidthDelayProductFromOneKibibyteOn) {
  constexpr double kBandwidthDelay = 12.5e9 * 20e-6;
  for (uint64_t size = 1024; size <= 1 << 30; size *= 2) {
    EXPECT_GE(static_cast<double>(DefaultDepth(Bytes{size}) * size), 2 * kBandwidthDelay) << size;
  }
}

TEST(ShapeForTest, SpreadsTheWholeDepthAndNoMore) {
  for (uint32_t depth : {1u, 2u, 3u, 4u, 5u, 17u, 32u, 512u}) {
    const QueueShape shape = ShapeFor(depth);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < shape.queue_pairs; ++i) {
      EXPECT_GE(shape.DepthOf(i), 1u);
      EXPECT_LE(shape.batch, shape.DepthOf(i));
      sum += shape.DepthOf(i);
    }
    EXPECT_EQ(sum, depth);
  }
}

TEST(ShapeForTest, ListsAreLongWhereDoorbellsMatterAndShortWhereTheQueueWouldRunEmpty) {
  EXPECT_EQ(ShapeFor(512).batch, 16u);
  EXPECT_EQ(ShapeFor(128).batch, 8u);
  EXPECT_EQ(ShapeFor(32).batch, 2u);
  EXPECT_EQ(ShapeFor(1).batch, 1u);
}

TEST(SlotsForTest, ArePagesApartAndInside) {
  EXPECT_EQ(SlotsFor(Bytes{8}, Bytes{1 << 20}).stride, 4096u);
  EXPECT_EQ(SlotsFor(Bytes{8}, Bytes{1 << 20}).count, 256u);
  EXPECT_EQ(SlotsFor(Bytes{4097}, Bytes{1 << 20}).stride, 8192u);
  EXPECT_EQ(SlotsFor(Bytes{1 << 20}, Bytes{1 << 20}).count, 1u);
  EXPECT_EQ(SlotsFor(Bytes{100}, Bytes{100}).count, 1u);
  EXPECT_EQ(SlotsFor(Bytes{101}, Bytes{100}).count, 0u);
}

}  // namespace
}  // namespace railgauge
