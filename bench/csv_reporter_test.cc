#include "bench/csv_reporter.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/file.h"
#include "lib/report/report_csv.h"

namespace railgauge {
namespace {

constexpr char kHeader[] = "header\n";

// A row of a transfer, as rdma_bench.cc logs it.
LoggedRow RowWith(uint64_t completions) {
  return {LoggedRow::Outcome::kMeasured, [completions](const RunIdentity& run, uint32_t round) {
            Sample sample;
            sample.completions = completions;
            sample.status = SampleStatus::kOk;
            sample.round = round;
            return CsvRow(run, sample);
          }};
}

class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    if (displayed != nullptr) *displayed += runs.size();
  }
  size_t* displayed = nullptr;
};

TEST(CsvReporterTest, WritesOneRowPerRepetitionOnce) {
  size_t displayed = 0;
  auto display = std::make_unique<SilentReporter>();
  display->displayed = &displayed;
  RowLog log;
  CsvReporter reporter(std::move(display), &log);
  const std::string path = testing::TempDir() + "/bench.csv";
  RunIdentity identity;
  identity.run_id = "run";
  identity.platform = "emulated";
  ASSERT_TRUE(reporter.OpenCsv(path, CsvHeader<Sample>(), identity));

  for (const uint64_t completions : {1u, 20u, 21u}) log.Add("a", RowWith(completions));
  std::vector<benchmark::BenchmarkReporter::Run> runs(3);  // two repetitions and an aggregate
  for (auto& run : runs) {
    run.run_name.function_name = "a";
    run.repetitions = 2;
  }
  reporter.ReportRuns(runs);

  EXPECT_EQ(displayed, 3u);
  EXPECT_EQ(reporter.CountOf(LoggedRow::Outcome::kMeasured), 2u);
  EXPECT_EQ(reporter.CountOf(LoggedRow::Outcome::kWrong), 0u);
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
  RowLog log;
  for (const std::string& path : {std::string("/sys/bench.csv"), pipe, std::string("/dev/full")}) {
    CsvReporter reporter(std::make_unique<SilentReporter>(), &log);
    EXPECT_FALSE(reporter.OpenCsv(path, kHeader, {})) << path;
  }
}

// A file size limit stands for a full disk: both refuse in the middle of a row.
TEST(CsvReporterTest, ARowThatDoesNotFitIsLeftOutWhole) {
  const std::string path = testing::TempDir() + "/bench_limited.csv";
  RowLog log;
  CsvReporter reporter(std::make_unique<SilentReporter>(), &log);
  ASSERT_TRUE(reporter.OpenCsv(path, kHeader, {}));
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = before;
  limit.rlim_cur = 16;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::vector<benchmark::BenchmarkReporter::Run> runs(1);
  for (const char* line : {"row1\n", "much too long a row\n", "r\n"}) {
    log.Add("a", {LoggedRow::Outcome::kMeasured,
                  [line](const RunIdentity&, uint32_t) { return std::string(line); }});
    runs[0].run_name.function_name = "a";
    reporter.ReportRuns(runs);
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(*ReadFile(path), "header\nrow1\n");
  ASSERT_FALSE(reporter.csv_written());
  EXPECT_EQ(reporter.csv_written().error().error_number, EFBIG);
}

TEST(CsvReporterTest, AFileThatCannotBeWrittenIsOneLine) {
  RowLog log;
  CsvReporter reporter(std::make_unique<SilentReporter>(), &log);
  const Status status = reporter.OpenCsv("/no/such/folder/bench.csv", kHeader, {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().ToString(),
            "write --csv_out /no/such/folder/bench.csv: ENOENT (No such file or directory). "
            "Choose a file that can be written.");
}

}  // namespace
}  // namespace railgauge
