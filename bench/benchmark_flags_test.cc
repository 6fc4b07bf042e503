#include "bench/benchmark_flags.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "benchmark/benchmark.h"
#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(BenchmarkFlagsTest, GoodOnes) {
  EXPECT_TRUE(CheckBenchmarkFlags({}));
  EXPECT_TRUE(CheckBenchmarkFlags(
      {"--nics=x", "--benchmark_list_tests", "--benchmark_list_tests=false", "--benchmark_filter=",
       "--benchmark_filter=a.*b", "--benchmark_min_time=0.01s", "--benchmark_min_time=3",
       "--benchmark_min_time=100x", "--benchmark_min_warmup_time=0.5", "--benchmark_repetitions=5",
       "--benchmark_format=json", "--benchmark_out_format=csv", "--benchmark_out=/dev/null",
       "--benchmark_color=auto", "--benchmark_time_unit=us", "--benchmark_context=a=b,c=d"}));
}

TEST(BenchmarkFlagsTest, EveryWrongOneIsNamed) {
  for (const char* argument : {"--benchmark_min_time=abc",
                               "--benchmark_min_time=",
                               "--benchmark_min_time=0x",
                               "--benchmark_min_time=-1s",
                               "--benchmark_min_time=1.5x",
                               "--benchmark_min_time=nan",
                               "--benchmark_min_warmup_time=1s",
                               "--benchmark_repetitions=-1",
                               "--benchmark_repetitions=0",
                               "--benchmark_repetitions=x",
                               "--benchmark_format=xml",
                               "--benchmark_out_format=",
                               "--benchmark_color=",
                               "--benchmark_time_unit=h",
                               "--benchmark_dry_run=maybe",
                               "--benchmark_context=a",
                               "--benchmark_context=a=b,platform=hardware",
                               "--benchmark_filter",
                               "--benchmark_nonsense",
                               "--benchmark_formatt=json"}) {
    const Status status = CheckBenchmarkFlags({argument});
    ASSERT_FALSE(status) << argument;
    const std::string line = status.error().ToString();
    const std::string flag = std::string(argument).substr(0, std::string(argument).find('='));
    EXPECT_NE(line.find(flag), std::string::npos) << line;
    EXPECT_FALSE(status.error().advice.empty()) << line;
  }
}

TEST(BenchmarkFlagsTest, AnUnknownOneTellsTheNearest) {
  EXPECT_EQ(CheckBenchmarkFlags({"--benchmark_formatt=json"}).error().advice,
            "Write '--benchmark_format'");
  for (const std::string wrong : {"--benchmark_", "--benchmark_min_time="}) {
    const Status status = CheckBenchmarkFlags({wrong + std::string(70'000, 'x')});
    ASSERT_FALSE(status) << wrong;
    EXPECT_LT(status.error().ToString().size(), 400U) << wrong;
  }
}

TEST(BenchmarkFlagsTest, TheOutputFile) {
  EXPECT_FALSE(CheckBenchmarkFlags({"--benchmark_out=/no/such/folder/x.json"}));
  EXPECT_FALSE(CheckBenchmarkFlags({"--benchmark_out=/sys/x.json"}));
  EXPECT_FALSE(CheckBenchmarkFlags({"--benchmark_out=/tmp"}));
  const std::string pipe = ::testing::TempDir() + "/benchmark_flags_test_pipe";
  std::filesystem::remove(pipe);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(CheckBenchmarkFlags({"--benchmark_out=" + pipe})) << "would wait for a reader";
}

TEST(BenchmarkFlagsTest, VariablesAreFlags) {
  ::setenv("BENCHMARK_MIN_TIME", "abc", 1);
  const Status status = CheckBenchmarkFlags({});
  ::unsetenv("BENCHMARK_MIN_TIME");
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().ToString().find("BENCHMARK_MIN_TIME"), std::string::npos);
}

TEST(BenchmarkFlagsTest, TheLastValueCounts) {
  const std::vector<std::string> arguments = {"--benchmark_out=a", "--benchmark_out=b=c",
                                              "--benchmark_list_tests", "--benchmark_out_format"};
  EXPECT_EQ(BenchmarkFlagValue(arguments, "benchmark_out"), "b=c");
  EXPECT_EQ(BenchmarkFlagValue(arguments, "benchmark_list_tests"), "");
  EXPECT_EQ(BenchmarkFlagValue(arguments, "benchmark_format"), std::nullopt);
  ::setenv("BENCHMARK_FORMAT", "json", 1);
  EXPECT_EQ(BenchmarkFlagValue(arguments, "benchmark_format"), "json");
  EXPECT_EQ(BenchmarkFlagValue({"--benchmark_format=csv"}, "benchmark_format"), "csv");
  ::unsetenv("BENCHMARK_FORMAT");
}

// What the library's help lists is what is known here, but for counters that need libpfm.
TEST(BenchmarkFlagsTest, TheTableIsTheLibrarys) {
  ::testing::internal::CaptureStdout();
  benchmark::PrintDefaultHelp();
  const std::string help = ::testing::internal::GetCapturedStdout();
  size_t listed = 0;
  for (size_t at = help.find("[--benchmark_"); at != std::string::npos;
       at = help.find("[--benchmark_", at + 1)) {
    ++listed;
  }
  size_t found = 0;
  for (const std::string& name : BenchmarkFlagNames()) {
    const bool in_help = help.find("[" + name + "=") != std::string::npos;
    EXPECT_TRUE(in_help || name == "--benchmark_perf_counters") << name;
    found += in_help ? 1 : 0;
  }
  EXPECT_EQ(found, listed) << help;
}

}  // namespace
}  // namespace railgauge
