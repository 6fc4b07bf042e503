// The device's own counters: what it moved, by which operation, and what it had to send again.
// Every sample is held against them (proof.h).
#ifndef RAILGAUGE_LIB_MEASURE_COUNTERS_H_
#define RAILGAUGE_LIB_MEASURE_COUNTERS_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/record/place.h"

namespace railgauge {

// The kernel keeps a reading of the device's counters for 10 ms (RDMA core, rdma_hw_stats lifespan)
// and gives it out again. A reading this long after the last completion is a new one.
inline constexpr Nanoseconds kCounterCacheLife = std::chrono::milliseconds{11};

// Payload bytes, by the names under ports/1/hw_counters. As the initiator of a read or write, and
// as the responder or target of one.
struct RdmaBytes {
  uint64_t rdma_read_bytes = 0;
  uint64_t rdma_read_resp_bytes = 0;
  uint64_t rdma_write_bytes = 0;
  uint64_t rdma_write_recv_bytes = 0;

  // Adds what `operation` with this payload does on the initiator's, and on the target's device.
  void AddInitiated(Operation operation, uint64_t bytes);
  void AddServed(Operation operation, uint64_t bytes);
  uint64_t Initiated(Operation operation) const {
    return operation == Operation::kRead ? rdma_read_bytes : rdma_write_bytes;
  }

  friend bool operator==(const RdmaBytes&, const RdmaBytes&) = default;
};

// later - earlier, counter by counter; they only grow, and wrap at 2^64.
RdmaBytes operator-(const RdmaBytes& later, const RdmaBytes& earlier);

struct DeviceCounters {
  RdmaBytes rdma;
  // Of SENDs.
  uint64_t send_bytes = 0;
  uint64_t recv_bytes = 0;
  // Packets sent again and requests that timed out; empty where the driver does not count them.
  std::optional<uint64_t> retransmitted_bytes;
  std::optional<uint64_t> retransmission_timeouts;
  friend bool operator==(const DeviceCounters&, const DeviceCounters&) = default;
};
// What only one of the two has is empty.
DeviceCounters operator-(const DeviceCounters& later, const DeviceCounters& earlier);

// Reads the counters of the ibverbs device `device`. Counters of operations that this driver does
// not know are taken for 0; having none of RDMA at all is an error. `sysfs` is for tests.
Result<DeviceCounters> ReadDeviceCounters(const std::string& device,
                                          const std::string& sysfs = "/sys");

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_COUNTERS_H_
