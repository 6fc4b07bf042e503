// The names of benchmarks: every independent variable of a measurement, so that two runs compare by
// name (Google Benchmark's compare.py does) and a filter can choose by any of them.
//
//   read/nic:0000:4f:00.0/place:numa0/way:host/direction:to_memory/size:1048576/depth:32/
//   queue_pairs:4/peer:loopback
//
// Sizes are bytes. What identifies a machine is no variable: the peer is `loopback` or `remote`,
// whichever host it is, and NICs go by PCI address, which is a slot. Names are kept: a variable
// that comes later stands at the end, and only where it differs from what was measured until then.
#ifndef RAILGAUGE_BENCH_NAMES_H_
#define RAILGAUGE_BENCH_NAMES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/base/pci_address.h"
#include "lib/base/units.h"
#include "lib/record/place.h"
#include "lib/record/records.h"

namespace railgauge {

// Of rdma_read_bench and rdma_write_bench.
struct TransferVariables {
  Cell cell;  // with its depth
  RegistrationWay way = RegistrationWay::kHost;
  uint32_t queue_pairs = 1;  // that the requests are spread over
  bool remote_peer = false;
  Bytes working_set;     // 0: the default
  bool latency = false;  // of single messages, and no throughput
};
std::string NameOf(const TransferVariables& variables);

// Of mr_register_bench: `operation` is "register", "deregister" or "query".
//   register/nic:0000:4f:00.0/place:numa0/way:host/size:1048576
struct RegistrationVariables {
  std::string_view operation;
  PciAddress nic;
  MemoryPlace place;
  RegistrationWay way = RegistrationWay::kHost;
  Bytes size;
};
std::string NameOf(const RegistrationVariables& variables);

// Of census_bench: one NIC and place, and all that were selected, whose numbers are the variable.
//   census/nic:0000:4f:00.0/place:numa0
//   census/nics:32/places:10
std::string CensusName(const PciAddress& nic, const MemoryPlace& place);
std::string WholeCensusName(size_t nics, size_t places);

}  // namespace railgauge

#endif  // RAILGAUGE_BENCH_NAMES_H_
