// The flags of the benchmark binaries beside Google Benchmark's own.
#ifndef RAILGAUGE_BENCH_FLAGS_H_
#define RAILGAUGE_BENCH_FLAGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/machine_options.h"
#include "cli/peer_flags.h"
#include "lib/base/result.h"
#include "lib/base/units.h"

namespace railgauge {

// Which flags a binary has beside those that all have (--emulate, --nics, --places, --csv_out).
struct BenchFlagSet {
  bool sizes = false;      // --sizes, whose default is BenchFlags's
  bool transfers = false;  // what sends: --depths, --queue-pairs, --latency, --peer, --token, …
};

struct BenchFlags {
  MachineOptions machine;
  std::vector<Bytes> sizes = {Bytes{4096}, Bytes{64 << 10}, Bytes{1 << 20}};
  std::vector<uint32_t> depths;  // empty: one for each size (DefaultDepth)
  uint32_t queue_pairs = 0;      // 0: the engine's default
  Bytes working_set;             // 0: the engine's default
  std::string csv_out;           // "-": stdout; empty: none
  PeerFlags peer;
  bool allow_busy = false;
  bool latency = false;
};

// What is left after Google Benchmark took its flags, without argv[0]. Each is --name=value or
// --name value; an argument that is none of `set`, and a value that is none, is an error.
Result<BenchFlags> ParseBenchFlags(const std::vector<std::string>& arguments,
                                   const BenchFlagSet& set);

// Their part of --help.
std::string BenchFlagsHelp(const BenchFlagSet& set);

}  // namespace railgauge

#endif  // RAILGAUGE_BENCH_FLAGS_H_
