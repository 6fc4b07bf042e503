// CsvReporter: Google Benchmark's display, and beside it the samples themselves as CSV rows.
//
// Google Benchmark's own CSV holds what it computed from iterations and time; a row here is the
// engine's sample, with partner, window, counters and reason, equal to a row of samples.csv.
#ifndef RAILGAUGE_BENCH_CSV_REPORTER_H_
#define RAILGAUGE_BENCH_CSV_REPORTER_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "benchmark/benchmark.h"
#include "lib/base/result.h"
#include "lib/base/unique_fd.h"
#include "lib/record/records.h"

namespace railgauge {

// The samples that benchmarks took, by benchmark. Google Benchmark runs each several times to find
// how many iterations fill its time, and only the last runs (one per repetition) count.
class SampleLog {
 public:
  void Add(const std::string& benchmark, Sample sample);
  // The last `repetitions` samples of `benchmark` (fewer when there are not so many), the
  // repetition's number from 0 being the sample's round; what was logged of it is forgotten.
  std::vector<Sample> Take(const std::string& benchmark, size_t repetitions);

 private:
  std::map<std::string, std::vector<Sample>> samples_;
};

class CsvReporter : public benchmark::BenchmarkReporter {
 public:
  // Displays by `display`. Takes reported samples out of `log`, which outlives this.
  CsvReporter(std::unique_ptr<BenchmarkReporter> display, SampleLog* log);

  // Also writes rows to the file at `path`, from now on, each as soon as it is there. "-" is
  // stdout: it gets the rows alone, and the display goes to stderr.
  Status OpenCsv(const std::string& path, const RunIdentity& run);

  bool ReportContext(const Context& context) override;
  void ReportRunsConfig(double min_time, bool has_explicit_iterations,
                        benchmark::IterationCount iterations) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

  // Of all rows.
  size_t CountOf(SampleStatus status) const;
  size_t CountIf(bool (*is)(SampleStatus)) const;
  // False when the file could not take a row.
  bool csv_good() const { return csv_error_ == 0; }

 private:
  // Nothing more after the first text that could not be written whole.
  void Write(std::string_view text);

  std::unique_ptr<BenchmarkReporter> display_;
  SampleLog* log_;
  std::map<SampleStatus, size_t> counts_;
  RunIdentity run_;
  UniqueFd csv_;
  int csv_error_ = 0;  // the errno
};

}  // namespace railgauge

#endif  // RAILGAUGE_BENCH_CSV_REPORTER_H_
