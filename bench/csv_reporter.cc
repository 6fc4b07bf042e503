#include "bench/csv_reporter.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <utility>

#include "lib/base/output_path.h"

namespace railgauge {
namespace {

constexpr char kWhat[] = "write --csv_out";
constexpr char kAdvice[] = "Choose a file that can be written";

}  // namespace

CsvReporter::CsvReporter(std::unique_ptr<BenchmarkReporter> display, RowLog* log)
    : display_(std::move(display)), log_(log) {}

Status CsvReporter::OpenCsv(const std::string& path, std::string_view header,
                            const RunIdentity& run) {
  run_ = run;
  csv_path_ = path;
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
  Write(header);
  return csv_written_;
}

void CsvReporter::Write(std::string_view line) {
  if (!csv_written_) return;
  const off_t before = ::lseek(csv_.get(), 0, SEEK_CUR);  // -1 for what has no positions
  while (!line.empty()) {
    const ssize_t n = ::write(csv_.get(), line.data(), line.size());
    if (n >= 0) {
      line.remove_prefix(static_cast<size_t>(n));
    } else if (errno != EINTR) {
      csv_written_ = Fail(ErrnoError(errno, kWhat, csv_path_, kAdvice));
      if (before >= 0) static_cast<void>(::ftruncate(csv_.get(), before) == 0);
      return;
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
  // Runs may be aggregates alone, by a flag; the rows are all in the log.
  for (const Run& run : runs) {
    const auto repetitions = static_cast<size_t>(std::max<int64_t>(run.repetitions, 1));
    uint32_t round = 0;
    for (const LoggedRow& row : log_->Take(run.run_name.function_name, repetitions)) {
      ++counts_[row.outcome];
      if (csv_.valid()) Write(row.csv(run_, round));
      ++round;
    }
  }
}

void CsvReporter::Finalize() { display_->Finalize(); }

size_t CsvReporter::CountOf(LoggedRow::Outcome outcome) const {
  const auto it = counts_.find(outcome);
  return it == counts_.end() ? 0 : it->second;
}

}  // namespace railgauge
