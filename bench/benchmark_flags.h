// Google Benchmark's own flags, checked before it reads them.
//
// The library answers a wrong value with its whole help and status 0, with status 1, an abort, or
// not at all, as the flag and the build mode have it; here every one is an Error like that of our
// own flags. Its environment variables (BENCHMARK_MIN_TIME for --benchmark_min_time) are the same
// flags and are checked alike.
#ifndef RAILGAUGE_BENCH_BENCHMARK_FLAGS_H_
#define RAILGAUGE_BENCH_BENCHMARK_FLAGS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace railgauge {

// `arguments` without argv[0]; what does not begin with --benchmark_ is left to others. Errors: a
// flag that this version does not have, no value or a wrong one, a context key that the run sets
// itself, and an output file that cannot be written (which makes the file, as the library will).
Status CheckBenchmarkFlags(const std::vector<std::string>& arguments);

// The value of the flag `name` (without "--"): of the last such argument, else of its variable;
// empty text for a flag without a value, nothing for one that is not given.
std::optional<std::string> BenchmarkFlagValue(const std::vector<std::string>& arguments,
                                              std::string_view name);

// All names, with "--".
std::vector<std::string> BenchmarkFlagNames();

}  // namespace railgauge

#endif  // RAILGAUGE_BENCH_BENCHMARK_FLAGS_H_
