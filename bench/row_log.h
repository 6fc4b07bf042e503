// RowLog: the rows that benchmarks took, by benchmark, until their results are reported.
//
// Google Benchmark runs each benchmark several times to find how many iterations fill its time, and
// only the last runs, one per repetition, count: which ones these were is known when it reports.
#ifndef RAILGAUGE_BENCH_ROW_LOG_H_
#define RAILGAUGE_BENCH_ROW_LOG_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lib/record/records.h"

namespace railgauge {

struct LoggedRow {
  enum class Outcome { kMeasured, kSkipped, kWrong };
  Outcome outcome = Outcome::kSkipped;
  // The line of the CSV file, `round` being the repetition's number from 0.
  std::function<std::string(const RunIdentity& run, uint32_t round)> csv;
};

class RowLog {
 public:
  void Add(const std::string& benchmark, LoggedRow row);
  // A repetition that was not run any more.
  void AddInterrupted(const std::string& benchmark);

  // The rows of the last `repetitions` of `benchmark`, those that were interrupted left out; what
  // was logged of it is forgotten.
  std::vector<LoggedRow> Take(const std::string& benchmark, size_t repetitions);

 private:
  struct Runs {
    std::vector<LoggedRow> rows;
    size_t interrupted = 0;
  };
  std::map<std::string, Runs> runs_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_BENCH_ROW_LOG_H_
