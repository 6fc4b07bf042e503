#include "lib/scenario/sysfs_rdma.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(FormatPortRateTest, IsWrittenAsTheKernelDoes) {
  EXPECT_EQ(FormatPortRate(10), "10 Gb/sec (4X SDR)");
  EXPECT_EQ(FormatPortRate(100), "100 Gb/sec (4X EDR)");
  EXPECT_EQ(FormatPortRate(200), "200 Gb/sec (4X HDR)");
  EXPECT_EQ(FormatPortRate(400), "400 Gb/sec (4X NDR)");
  EXPECT_EQ(FormatPortRate(6.25), "6.25 Gb/sec (4X)") << "no InfiniBand speed";
}

}  // namespace
}  // namespace railgauge
