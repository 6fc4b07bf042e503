// The main function of rdma_read_bench and rdma_write_bench, which differ in their operation only.
#ifndef RAILGAUGE_BENCH_RDMA_BENCH_H_
#define RAILGAUGE_BENCH_RDMA_BENCH_H_

#include "lib/record/place.h"

namespace railgauge {

// Runs benchmarks of `operation` on the engine of lib/measure, one per NIC, place, direction, size
// and depth (names.h). An iteration is one completed work request. Returns the exit status
// (program.h).
int RdmaBenchMain(Operation operation, int argc, char** argv);

}  // namespace railgauge

#endif  // RAILGAUGE_BENCH_RDMA_BENCH_H_
