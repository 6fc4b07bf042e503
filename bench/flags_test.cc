#include "bench/flags.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

Result<BenchFlags> Parse(const std::vector<std::string>& arguments,
                         const BenchFlagSet& set = {.sizes = true, .transfers = true}) {
  return ParseBenchFlags(arguments, set);
}

TEST(BenchFlagsTest, Defaults) {
  const auto flags = Parse({});
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->sizes, (std::vector<Bytes>{Bytes{4096}, Bytes{65536}, Bytes{1048576}}));
  EXPECT_EQ(flags->machine.nics, "");
  EXPECT_EQ(flags->csv_out, "");
  EXPECT_TRUE(flags->depths.empty());
  EXPECT_EQ(flags->queue_pairs, 0u);
  EXPECT_FALSE(flags->allow_busy);
}

TEST(BenchFlagsTest, ReadsEachFlag) {
  const auto flags =
      Parse({"--nics=rdmap79s0,0000:c6:00.0", "--places=numa0,gpu3", "--sizes=8,1MiB",
             "--csv_out=a=b.csv", "--peer=node-b:7", "--token=t", "--depths=1,512",
             "--queue-pairs=2", "--working-set=8MiB", "--allow-busy", "--latency"});
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->machine.nics, "rdmap79s0,0000:c6:00.0");
  EXPECT_EQ(flags->machine.places, "numa0,gpu3");
  EXPECT_EQ(flags->sizes, (std::vector<Bytes>{Bytes{8}, Bytes{1 << 20}}));
  EXPECT_EQ(flags->csv_out, "a=b.csv");
  EXPECT_EQ(flags->peer.peer, "node-b:7");
  EXPECT_EQ(flags->peer.token, "t");
  EXPECT_EQ(flags->depths, (std::vector<uint32_t>{1, 512}));
  EXPECT_EQ(flags->queue_pairs, 2u);
  EXPECT_EQ(flags->working_set, Bytes{8 << 20});
  EXPECT_TRUE(flags->allow_busy);
  EXPECT_TRUE(flags->latency);
}

TEST(BenchFlagsTest, WhatIsNoFlagIsNamed) {
  for (const char* wrong : {"--nic=a", "--nicsx=a", "nics=a", "--sizes_=1", "--bogus-flag"}) {
    const auto flags = Parse({wrong});
    ASSERT_FALSE(flags) << wrong;
    const std::string name = std::string(wrong).substr(0, std::string(wrong).find('='));
    EXPECT_EQ(flags.error().object, "'" + name + "'");
  }
  EXPECT_EQ(Parse({"--nic=a"}).error().advice, "Write '--nics'");
  EXPECT_EQ(Parse({"--bogus-flag"}).error().advice, "--help lists them");
  EXPECT_EQ(Parse({"--nics"}).error().reason, "it needs a value");
}

TEST(BenchFlagsTest, WhatIsLongIsCut) {
  for (const std::string& wrong : {std::string("--bogus"), std::string("--sizes="),
                                   std::string("--depths=1,1,"), std::string("--allow-busy=")}) {
    const auto flags = Parse({wrong + std::string(70'000, '7')});
    ASSERT_FALSE(flags) << wrong;
    EXPECT_LT(flags.error().ToString().size(), 500U) << wrong;
  }
}

TEST(BenchFlagsTest, TheValueMayBeTheNextArgument) {
  const auto flags = Parse({"--nics", "rdmap79s0", "--sizes", "8", "--csv_out", "-"});
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->machine.nics, "rdmap79s0");
  EXPECT_EQ(flags->sizes, std::vector<Bytes>{Bytes{8}});
  EXPECT_EQ(flags->csv_out, "-");
}

TEST(BenchFlagsTest, AWorkingSetIsOneSize) {
  for (const char* wrong : {"--working-set=", "--working-set=0", "--working-set=1MiB,2MiB"}) {
    EXPECT_FALSE(Parse({wrong})) << wrong;
  }
}

TEST(BenchFlagsTest, SizesAreChecked) {
  for (const char* wrong : {"--sizes=", "--sizes=1MiB,", "--sizes=0", "--sizes=4096,4KiB",
                            "--sizes=1MB/s", "--sizes=big"}) {
    EXPECT_FALSE(Parse({wrong})) << wrong;
  }
}

TEST(BenchFlagsTest, CountsAreChecked) {
  for (const char* wrong :
       {"--depths=", "--depths=0", "--depths=1,", "--depths=8,8", "--depths=-1", "--depths=65537",
        "--queue-pairs=0", "--queue-pairs=65", "--queue-pairs=1,2", "--allow-busy=yes"}) {
    EXPECT_FALSE(Parse({wrong})) << wrong;
  }
}

TEST(BenchFlagsTest, ABinaryHasOnlyItsOwn) {
  EXPECT_TRUE(Parse({"--nics=a", "--csv_out=b"}, {}));
  for (const char* other : {"--sizes=8", "--depths=1", "--peer=b", "--allow-busy"}) {
    EXPECT_FALSE(Parse({other}, {})) << other;
  }
  EXPECT_TRUE(Parse({"--sizes=8"}, {.sizes = true}));
  EXPECT_EQ(BenchFlagsHelp({}).find("--sizes"), std::string::npos);
}

TEST(BenchFlagsTest, HelpNamesEveryFlag) {
  const std::string help = BenchFlagsHelp({.sizes = true, .transfers = true});
  for (const char* flag : {"--emulate", "--nics", "--places", "--sizes", "--depths",
                           "--queue-pairs", "--csv_out", "--peer", "--token", "--allow-busy"}) {
    EXPECT_NE(help.find(std::string("[") + flag), std::string::npos) << flag;
  }
}

TEST(BenchFlagsTest, AnEmptyOrMissingValueDoesNotTakeTheNextFlag) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"--csv_out=", "--nics=a"}, {"--csv_out", "", "--nics=a"}, {"--nics="}}) {
    const auto flags = Parse(arguments);
    ASSERT_FALSE(flags);
    EXPECT_NE(flags.error().ToString().find("it has an empty value"), std::string::npos);
  }
  EXPECT_NE(Parse({"--csv_out", "--nics=a"}).error().reason.find("it has no value: '--nics=a'"),
            std::string::npos);
}

}  // namespace
}  // namespace railgauge
