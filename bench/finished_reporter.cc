#include "bench/finished_reporter.h"

#include <algorithm>

namespace railgauge {

bool FinishedReporter::ReportContext(const Context& context) {
  // The library knows this reporter alone.
  inner_->SetOutputStream(&GetOutputStream());
  inner_->SetErrorStream(&GetErrorStream());
  return inner_->ReportContext(context);
}

void FinishedReporter::ReportRunsConfig(double min_time, bool has_explicit_iterations,
                                        benchmark::IterationCount iterations) {
  inner_->ReportRunsConfig(min_time, has_explicit_iterations, iterations);
}

void FinishedReporter::ReportRuns(const std::vector<Run>& runs) {
  std::vector<Run> finished = runs;
  finished.erase(
      std::remove_if(finished.begin(), finished.end(),
                     [](const Run& run) { return run.skip_message == kInterruptedMessage; }),
      finished.end());
  if (!finished.empty()) {
    inner_->ReportRuns(finished);
  } else if (!runs.empty()) {
    ++left_out_;
  }
}

void FinishedReporter::Finalize() {
  inner_->Finalize();
  written_ = GetOutputStream().flush().good();
}

}  // namespace railgauge
