// CsvReporter: Google Benchmark's display, and beside it the rows themselves as CSV.
//
// Google Benchmark's own CSV holds what it computed from iterations and time; a row here is what
// was measured: of a transfer the engine's sample, with partner, window, counters and reason, equal
// to a row of samples.csv.
#ifndef RAILGAUGE_BENCH_CSV_REPORTER_H_
#define RAILGAUGE_BENCH_CSV_REPORTER_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/row_log.h"
#include "benchmark/benchmark.h"
#include "lib/base/result.h"
#include "lib/base/unique_fd.h"
#include "lib/record/records.h"

namespace railgauge {

class CsvReporter : public benchmark::BenchmarkReporter {
 public:
  // Displays by `display`. Takes reported rows out of `log`, which outlives this.
  CsvReporter(std::unique_ptr<BenchmarkReporter> display, RowLog* log);

  // Also writes `header` and rows to the file at `path`, from now on, each as soon as it is there.
  // "-" is stdout: it gets the rows alone, and the display goes to stderr.
  Status OpenCsv(const std::string& path, std::string_view header, const RunIdentity& run);

  bool ReportContext(const Context& context) override;
  void ReportRunsConfig(double min_time, bool has_explicit_iterations,
                        benchmark::IterationCount iterations) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

  // Of all rows.
  size_t CountOf(LoggedRow::Outcome outcome) const;
  // What kept the file from taking a row whole, if anything.
  const Status& csv_written() const { return csv_written_; }

 private:
  // As a whole, or not at all: a half row would make the next one unreadable. Nothing more after
  // the first that could not be written.
  void Write(std::string_view line);

  std::unique_ptr<BenchmarkReporter> display_;
  RowLog* log_;
  std::map<LoggedRow::Outcome, size_t> counts_;
  RunIdentity run_;
  UniqueFd csv_;
  std::string csv_path_;
  Status csv_written_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_BENCH_CSV_REPORTER_H_
