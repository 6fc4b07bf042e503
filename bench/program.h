// What the benchmark binaries have in common: flags, session, reports, an end by interrupt, and the
// exit status. A binary adds which benchmarks there are.
#ifndef RAILGAUGE_BENCH_PROGRAM_H_
#define RAILGAUGE_BENCH_PROGRAM_H_

#include <functional>
#include <string>
#include <vector>

#include "bench/flags.h"
#include "bench/row_log.h"
#include "benchmark/benchmark.h"
#include "cli/session.h"
#include "lib/base/result.h"

namespace railgauge {

// One run of a binary, given to what registers its benchmarks. All outlive the benchmarks.
struct BenchRun {
  const BenchFlags& flags;
  Session& session;  // its notes are printed before the first benchmark
  bool lists_only;   // --benchmark_list_tests: nothing is run, so nothing need be connected
  RowLog& log;
};

struct BenchProgram {
  std::string name;  // "rdma_read_bench"
  BenchFlagSet flags;
  std::string examples;    // for --help, lines without indent
  std::string csv_header;  // of --csv_out
  // Registers the benchmarks. An Error ends the binary.
  std::function<Status(const BenchRun& run)> prepare;
  // What a reader of the results should know, once they are there. May be empty.
  std::function<std::vector<std::string>()> warnings;
};

// Runs it and returns the exit status: 0 something was measured and nothing went wrong; 2 usage or
// set-up error, or a report that could not be written; 3 a benchmark failed or is contradicted,
// nothing could be measured, or the run was interrupted. However it ends, reports hold what had
// finished.
int RunBenchProgram(const BenchProgram& program, int argc, char** argv);

// For the body of a benchmark `name`: whether to end at once, because the run was interrupted. The
// state and the log then know.
bool EndsByInterrupt(benchmark::State& state, const std::string& name, RowLog& log);

}  // namespace railgauge

#endif  // RAILGAUGE_BENCH_PROGRAM_H_
