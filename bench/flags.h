// The flags of the benchmark binaries beside Google Benchmark's own.
#ifndef RAILGAUGE_BENCH_FLAGS_H_
#define RAILGAUGE_BENCH_FLAGS_H_

#include <string>
#include <vector>

#include "cli/machine_options.h"
#include "cli/peer_flags.h"
#include "lib/base/result.h"
#include "lib/base/units.h"

namespace railgauge {

struct BenchFlags {
  MachineOptions machine;
  std::vector<Bytes> sizes = {Bytes{4096}, Bytes{64 << 10}, Bytes{1 << 20}};
  std::string csv_out;  // "-": stdout; empty: none
  PeerFlags peer;
};

// What is left after Google Benchmark took its flags, without argv[0]. Each is --name=value or
// --name value; an argument that is none of ours, and a size that is none, is an error.
Result<BenchFlags> ParseBenchFlags(const std::vector<std::string>& arguments);

// Their part of --help.
extern const char kBenchFlagsHelp[];

}  // namespace railgauge

#endif  // RAILGAUGE_BENCH_FLAGS_H_
