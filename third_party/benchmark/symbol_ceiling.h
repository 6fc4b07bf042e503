// Included before every file of Google Benchmark, so that binaries built with GCC 12 run with the
// libstdc++ of GCC 11: GCC 12 gave std::condition_variable::wait a new symbol version without a
// change of what it does, and libstdc++ keeps the old one.
#ifndef RAILGAUGE_THIRD_PARTY_BENCHMARK_SYMBOL_CEILING_H_
#define RAILGAUGE_THIRD_PARTY_BENCHMARK_SYMBOL_CEILING_H_

__asm__(
    ".symver _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE,"
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");

#endif  // RAILGAUGE_THIRD_PARTY_BENCHMARK_SYMBOL_CEILING_H_
