#include "bench/flags.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(BenchFlagsTest, Defaults) {
  const auto flags = ParseBenchFlags({});
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->sizes, (std::vector<Bytes>{Bytes{4096}, Bytes{65536}, Bytes{1048576}}));
  EXPECT_EQ(flags->machine.nics, "");
  EXPECT_EQ(flags->csv_out, "");
}

TEST(BenchFlagsTest, ReadsEachFlag) {
  const auto flags =
      ParseBenchFlags({"--nics=rdmap79s0,0000:c6:00.0", "--places=numa0,gpu3", "--sizes=8,1MiB",
                       "--csv_out=a=b.csv", "--peer=node-b:7", "--token=t"});
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->machine.nics, "rdmap79s0,0000:c6:00.0");
  EXPECT_EQ(flags->machine.places, "numa0,gpu3");
  EXPECT_EQ(flags->sizes, (std::vector<Bytes>{Bytes{8}, Bytes{1 << 20}}));
  EXPECT_EQ(flags->csv_out, "a=b.csv");
  EXPECT_EQ(flags->peer.peer, "node-b:7");
  EXPECT_EQ(flags->peer.token, "t");
}

TEST(BenchFlagsTest, WhatIsNoFlagIsNamed) {
  for (const char* wrong : {"--nic=a", "--nics", "--nicsx=a", "nics=a", "--sizes_=1"}) {
    const auto flags = ParseBenchFlags({wrong});
    ASSERT_FALSE(flags) << wrong;
    EXPECT_EQ(flags.error().object, wrong);
  }
}

TEST(BenchFlagsTest, TheValueMayBeTheNextArgument) {
  const auto flags = ParseBenchFlags({"--nics", "rdmap79s0", "--sizes", "8", "--csv_out", "-"});
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->machine.nics, "rdmap79s0");
  EXPECT_EQ(flags->sizes, std::vector<Bytes>{Bytes{8}});
  EXPECT_EQ(flags->csv_out, "-");
}

TEST(BenchFlagsTest, SizesAreChecked) {
  for (const char* wrong : {"--sizes=", "--sizes=1MiB,", "--sizes=0", "--sizes=4096,4KiB",
                            "--sizes=1MB/s", "--sizes=big"}) {
    EXPECT_FALSE(ParseBenchFlags({wrong})) << wrong;
  }
}

}  // namespace
}  // namespace railgauge
