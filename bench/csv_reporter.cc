#include "bench/csv_reporter.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "lib/report/report_csv.h"

namespace railgauge {

void SampleLog::Add(const std::string& benchmark, Sample sample) {
  samples_[benchmark].push_back(std::move(sample));
}

std::vector<Sample> SampleLog::Take(const std::string& benchmark, size_t repetitions) {
  const auto it = samples_.find(benchmark);
  if (it == samples_.end()) return {};
  std::vector<Sample> samples = std::move(it->second);
  samples_.erase(it);
  const size_t count = std::min(samples.size(), repetitions);
  samples.erase(samples.begin(), samples.end() - static_cast<std::ptrdiff_t>(count));
  for (size_t i = 0; i < samples.size(); ++i) samples[i].round = static_cast<uint32_t>(i);
  return samples;
}

CsvReporter::CsvReporter(std::unique_ptr<BenchmarkReporter> display, SampleLog* log)
    : display_(std::move(display)), log_(log) {}

Status CsvReporter::OpenCsv(const std::string& path, const RunIdentity& run) {
  run_ = run;
  errno = 0;
  csv_.open(path, std::ios::trunc);
  csv_ << CsvHeader<Sample>() << std::flush;
  if (csv_.good()) return {};
  return Fail(ErrnoError(errno, "write --csv_out", path, "Choose a file that can be written"));
}

bool CsvReporter::ReportContext(const Context& context) { return display_->ReportContext(context); }

void CsvReporter::ReportRunsConfig(double min_time, bool has_explicit_iterations,
                                   benchmark::IterationCount iterations) {
  display_->ReportRunsConfig(min_time, has_explicit_iterations, iterations);
}

void CsvReporter::ReportRuns(const std::vector<Run>& runs) {
  display_->ReportRuns(runs);
  // Runs may be aggregates alone, by a flag; the samples are all in the log.
  for (const Run& run : runs) {
    const auto repetitions = static_cast<size_t>(std::max<int64_t>(run.repetitions, 1));
    for (const Sample& sample : log_->Take(run.run_name.function_name, repetitions)) {
      ++counts_[sample.status];
      if (csv_.is_open()) csv_ << CsvRow(run_, sample) << std::flush;
    }
  }
}

void CsvReporter::Finalize() { display_->Finalize(); }

size_t CsvReporter::CountOf(SampleStatus status) const {
  const auto it = counts_.find(status);
  return it == counts_.end() ? 0 : it->second;
}

}  // namespace railgauge
