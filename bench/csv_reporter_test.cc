#include "bench/csv_reporter.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/file.h"
#include "lib/report/report_csv.h"

namespace railgauge {
namespace {

Sample SampleWith(uint64_t completions) {
  Sample sample;
  sample.completions = completions;
  sample.status = SampleStatus::kOk;
  return sample;
}

TEST(SampleLogTest, GivesTheLastOfEachRepetitionAndForgets) {
  SampleLog log;
  for (const uint64_t completions : {1u, 10u, 1000u, 1001u, 1002u}) {
    log.Add("a", SampleWith(completions));
  }
  log.Add("b", SampleWith(7));
  const std::vector<Sample> samples = log.Take("a", 3);
  ASSERT_EQ(samples.size(), 3u);
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(samples[i].completions, 1000 + i);
    EXPECT_EQ(samples[i].round, i);
  }
  EXPECT_TRUE(log.Take("a", 3).empty());
  EXPECT_EQ(log.Take("b", 5).size(), 1u);
  EXPECT_TRUE(log.Take("c", 1).empty());
}

class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override { *displayed += runs.size(); }
  size_t* displayed = nullptr;
};

TEST(CsvReporterTest, WritesOneRowPerRepetitionOnce) {
  size_t displayed = 0;
  auto display = std::make_unique<SilentReporter>();
  display->displayed = &displayed;
  SampleLog log;
  CsvReporter reporter(std::move(display), &log);
  const std::string path = testing::TempDir() + "/bench.csv";
  RunIdentity identity;
  identity.run_id = "run";
  identity.platform = "emulated";
  ASSERT_TRUE(reporter.OpenCsv(path, identity));

  for (const uint64_t completions : {1u, 20u, 21u}) log.Add("a", SampleWith(completions));
  std::vector<benchmark::BenchmarkReporter::Run> runs(3);  // two repetitions and an aggregate
  for (auto& run : runs) {
    run.run_name.function_name = "a";
    run.repetitions = 2;
  }
  reporter.ReportRuns(runs);

  EXPECT_EQ(displayed, 3u);
  EXPECT_EQ(reporter.CountOf(SampleStatus::kOk), 2u);
  EXPECT_EQ(reporter.CountOf(SampleStatus::kFailed), 0u);
  const auto recorded = ParseReport<Sample>(*ReadFile(path), path);
  ASSERT_TRUE(recorded) << recorded.error().ToString();
  ASSERT_EQ(recorded->rows.size(), 2u);
  EXPECT_EQ(recorded->rows[0].completions, 20u);
  EXPECT_EQ(recorded->rows[1].completions, 21u);
  EXPECT_EQ(recorded->rows[1].round, 1u);
  EXPECT_EQ(recorded->run.platform, "emulated");
}

TEST(CsvReporterTest, AFileThatIsNotKeptOrWaitsForAReaderIsRefused) {
  const std::string pipe = testing::TempDir() + "/csv_reporter_test_pipe";
  std::filesystem::remove(pipe);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  SampleLog log;
  for (const std::string& path : {std::string("/sys/bench.csv"), pipe, std::string("/dev/full")}) {
    CsvReporter reporter(std::make_unique<SilentReporter>(), &log);
    EXPECT_FALSE(reporter.OpenCsv(path, {})) << path;
  }
}

TEST(CsvReporterTest, AFileThatCannotBeWrittenIsOneLine) {
  SampleLog log;
  CsvReporter reporter(std::make_unique<SilentReporter>(), &log);
  const Status status = reporter.OpenCsv("/no/such/folder/bench.csv", {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().ToString(),
            "write --csv_out /no/such/folder/bench.csv: ENOENT (No such file or directory). "
            "Choose a file that can be written.");
}

}  // namespace
}  // namespace railgauge
