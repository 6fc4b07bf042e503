#include "bench/row_log.h"

#include <algorithm>
#include <utility>

namespace railgauge {

void RowLog::Add(const std::string& benchmark, LoggedRow row) {
  runs_[benchmark].rows.push_back(std::move(row));
}

void RowLog::AddInterrupted(const std::string& benchmark) { ++runs_[benchmark].interrupted; }

std::vector<LoggedRow> RowLog::Take(const std::string& benchmark, size_t repetitions) {
  const auto it = runs_.find(benchmark);
  if (it == runs_.end()) return {};
  Runs runs = std::move(it->second);
  runs_.erase(it);
  const size_t finished = repetitions - std::min(repetitions, runs.interrupted);
  const size_t count = std::min(runs.rows.size(), finished);
  runs.rows.erase(runs.rows.begin(), runs.rows.end() - static_cast<std::ptrdiff_t>(count));
  return std::move(runs.rows);
}

}  // namespace railgauge
