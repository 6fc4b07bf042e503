// RDMA write throughput per NIC, memory place, direction and size.
#include "bench/rdma_bench.h"

int main(int argc, char** argv) {
  return railgauge::RdmaBenchMain(railgauge::Operation::kWrite, argc, argv);
}
