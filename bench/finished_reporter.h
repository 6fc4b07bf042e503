// FinishedReporter: reports what has finished, and whether the report could be written.
//
// Google Benchmark cannot be told to stop: when a run is interrupted, the benchmarks that are left
// end at once as skipped, which is no result. Without them a report is that of a shorter run: its
// JSON is whole, and each benchmark in it was measured.
#ifndef RAILGAUGE_BENCH_FINISHED_REPORTER_H_
#define RAILGAUGE_BENCH_FINISHED_REPORTER_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "benchmark/benchmark.h"

namespace railgauge {

// The message by which a benchmark skips itself when the run is interrupted.
inline constexpr char kInterruptedMessage[] = "interrupted";

class FinishedReporter : public benchmark::BenchmarkReporter {
 public:
  explicit FinishedReporter(std::unique_ptr<BenchmarkReporter> inner) : inner_(std::move(inner)) {}

  bool ReportContext(const Context& context) override;
  void ReportRunsConfig(double min_time, bool has_explicit_iterations,
                        benchmark::IterationCount iterations) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

  // Benchmarks none of whose repetitions was finished.
  size_t left_out() const { return left_out_; }
  // Whether the stream took all of it; to be asked after Finalize(). (The library does not ask.)
  bool written() const { return written_; }

 private:
  std::unique_ptr<BenchmarkReporter> inner_;
  size_t left_out_ = 0;
  bool written_ = true;
};

}  // namespace railgauge

#endif  // RAILGAUGE_BENCH_FINISHED_REPORTER_H_
