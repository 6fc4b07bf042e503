#include "bench/finished_reporter.h"

#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

using Run = benchmark::BenchmarkReporter::Run;

Run RunOf(const std::string& name, const std::string& skip_message = "") {
  Run run;
  run.run_name.function_name = name;
  run.skip_message = skip_message;
  run.iterations = 1;
  return run;
}

std::string Count(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return std::to_string(count) + " " + word;
}

// What a run says that was interrupted in the second repetition of b.
void Report(FinishedReporter& reporter) {
  benchmark::BenchmarkReporter::Context context;
  reporter.ReportContext(context);
  reporter.ReportRuns({RunOf("a"), RunOf("a")});
  reporter.ReportRuns({RunOf("b"), RunOf("b", kInterruptedMessage)});
  reporter.ReportRuns({RunOf("c", kInterruptedMessage), RunOf("c", kInterruptedMessage)});
  reporter.ReportRuns({});
  reporter.ReportRuns({RunOf("d", "has no RDMA write")});
  reporter.Finalize();
}

TEST(FinishedReporterTest, LeavesOutWhatWasInterrupted) {
  std::ostringstream out;
  FinishedReporter reporter(std::make_unique<benchmark::JSONReporter>());
  reporter.SetOutputStream(&out);
  Report(reporter);
  EXPECT_EQ(Count(out.str(), R"("name": "a")"), R"(2 "name": "a")");
  EXPECT_EQ(Count(out.str(), R"("name": "b")"), R"(1 "name": "b")");
  EXPECT_EQ(Count(out.str(), R"("name": "c")"), R"(0 "name": "c")");
  EXPECT_EQ(Count(out.str(), R"("name": "d")"), R"(1 "name": "d")");
  EXPECT_EQ(reporter.left_out(), 1u);
  EXPECT_TRUE(out.str().ends_with("}\n")) << out.str();
  EXPECT_TRUE(reporter.written());
}

TEST(FinishedReporterTest, AFullDiskIsNoticed) {
  std::ofstream out("/dev/full");
  FinishedReporter reporter(std::make_unique<benchmark::JSONReporter>());
  reporter.SetOutputStream(&out);
  Report(reporter);
  EXPECT_FALSE(reporter.written());
}

}  // namespace
}  // namespace railgauge
