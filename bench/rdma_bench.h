// The main function of the benchmark binaries, which differ in their operation only.
#ifndef RAILGAUGE_BENCH_RDMA_BENCH_H_
#define RAILGAUGE_BENCH_RDMA_BENCH_H_

#include "lib/record/place.h"

namespace railgauge {

// Runs benchmarks of `operation` on the engine of lib/measure, one per NIC, place, direction and
// size, named "read/nic:0000:c6:00.0/place:numa0/direction:to_memory/size:1048576". An iteration is
// one completed work request. Returns the exit status: 0 something was measured and nothing went
// wrong; 2 usage or set-up error; 3 a benchmark failed or is invalid, or nothing could be measured.
int RdmaBenchMain(Operation operation, int argc, char** argv);

}  // namespace railgauge

#endif  // RAILGAUGE_BENCH_RDMA_BENCH_H_
