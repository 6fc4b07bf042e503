// What a benchmark binary finds out before it registers benchmarks: the machine, its GPUs, the
// selection that the flags make of them, and the identity that every CSV row carries.
#ifndef RAILGAUGE_BENCH_SETUP_H_
#define RAILGAUGE_BENCH_SETUP_H_

#include <string>
#include <vector>

#include "bench/flags.h"
#include "lib/base/result.h"
#include "lib/memory/cuda_driver.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct BenchSetup {
  Machine machine;
  CudaDriver cuda;
  std::vector<NicKey> nics;         // selected
  std::vector<MemoryPlace> places;  // selected
  RunIdentity run;
  std::vector<std::string> notes;  // for people, each a line
};

// Errors: no topology, no EFA device, a name in the flags that the machine lacks.
Result<BenchSetup> SetUpBench(const BenchFlags& flags);

}  // namespace railgauge

#endif  // RAILGAUGE_BENCH_SETUP_H_
