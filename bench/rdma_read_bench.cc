// RDMA read throughput per NIC, memory place, direction and size.
#include "bench/rdma_bench.h"

int main(int argc, char** argv) {
  return railgauge::RdmaBenchMain(railgauge::Operation::kRead, argc, argv);
}
