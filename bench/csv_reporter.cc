#include "bench/csv_reporter.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <utility>

#include "lib/base/output_path.h"
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
  constexpr char kWhat[] = "write --csv_out";
  constexpr char kAdvice[] = "Choose a file that can be written";
  run_ = run;
  if (path == "-") {
    csv_ = UniqueFd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
    display_->SetOutputStream(&std::cerr);
  } else {
    RAILGAUGE_RETURN_IF_ERROR(CheckOutputPath(path, kWhat));
    // Without O_NONBLOCK, opening a pipe that nobody reads would wait for ever.
    csv_ =
        UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666));
    if (csv_.valid()) ::fcntl(csv_.get(), F_SETFL, 0);
  }
  if (!csv_.valid()) return Fail(ErrnoError(errno, kWhat, path, kAdvice));
  Write(CsvHeader<Sample>());
  if (csv_error_ == 0) return {};
  return Fail(ErrnoError(csv_error_, kWhat, path, kAdvice));
}

void CsvReporter::Write(std::string_view text) {
  while (csv_error_ == 0 && !text.empty()) {
    const ssize_t n = ::write(csv_.get(), text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<size_t>(n));
    } else if (errno != EINTR) {
      csv_error_ = errno;
    }
  }
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
      if (csv_.valid()) Write(CsvRow(run_, sample));
    }
  }
}

void CsvReporter::Finalize() { display_->Finalize(); }

size_t CsvReporter::CountIf(bool (*is)(SampleStatus)) const {
  size_t count = 0;
  for (const auto& [status, number] : counts_) count += is(status) ? number : 0;
  return count;
}

size_t CsvReporter::CountOf(SampleStatus status) const {
  const auto it = counts_.find(status);
  return it == counts_.end() ? 0 : it->second;
}

}  // namespace railgauge
