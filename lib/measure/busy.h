// Busy NICs: those that somebody else uses already, as their counters tell before a run.
//
// What others move goes through the counters that prove a sample and takes part of the line, so a
// run on a busy NIC ends in INVALID rows at best. Looking first costs a fraction of a second.
#ifndef RAILGAUGE_LIB_MEASURE_BUSY_H_
#define RAILGAUGE_LIB_MEASURE_BUSY_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/units.h"
#include "lib/record/records.h"

namespace railgauge {

struct BusyNic {
  NicKey nic;
  std::string counter;      // the hw_counter that moved most
  uint64_t bytes = 0;       // by how much
  Nanoseconds interval{0};  // in what time

  // "0000:4f:00.0 (rdmap79s0): 60000000 rx_bytes in 30.0 ms"
  std::string ToString() const;
};

struct BusyOptions {
  // Between the two readings of a NIC. Longer than the kernel keeps a reading (kCounterCacheLife),
  // so that the second is a new one; long enough that what moves tens of packets a second shows.
  Nanoseconds interval = std::chrono::milliseconds{30};
  std::string sysfs = "/sys";               // for tests
  std::function<void(Nanoseconds)> wait{};  // for tests; empty: sleeps
};

// Those of `nics` any of whose byte counters moves while the caller has nothing posted, in the
// order given. All are read, then there is one wait, then all are read again. A NIC whose counters
// cannot be read, or that has no RDMA device, is not among them: its samples say so themselves.
std::vector<BusyNic> FindBusyNics(std::span<const NicKey> nics, const BusyOptions& options = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_BUSY_H_
