// The device's own RDMA byte counters, and whether they agree with what was posted.
//
// A run can silently fall back to another path, or the wrong operation can run: the device knows.
// So every sample is held against its hw_counters.
#ifndef RAILGAUGE_LIB_MEASURE_COUNTERS_H_
#define RAILGAUGE_LIB_MEASURE_COUNTERS_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/record/place.h"

namespace railgauge {

// The kernel keeps a reading of the device's counters for 10 ms (RDMA core, rdma_hw_stats lifespan)
// and gives it out again. A reading this long after the last completion is a new one.
inline constexpr Nanoseconds kCounterCacheLife = std::chrono::milliseconds{11};

// Relative difference between counters and posted bytes that is still agreement.
inline constexpr double kCounterTolerance = 0.005;

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

// Reads the counters of the ibverbs device `device`. Counters of operations that this driver does
// not know are taken for 0; having none at all is an error. `sysfs` is for tests.
Result<RdmaBytes> ReadRdmaBytes(const std::string& device, const std::string& sysfs = "/sys");

// What the counters of `device` say against `expected`, in words; empty when they agree: each
// within the tolerance of the largest expected one (so a counter that should stand still may not
// move by more than that either).
std::optional<std::string> Contradiction(const std::string& device, const RdmaBytes& counted,
                                         const RdmaBytes& expected);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_COUNTERS_H_
