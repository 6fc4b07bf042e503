// How the work requests of a cell are spread: depth, queue pairs and doorbell lists. Pure.
#ifndef RAILGAUGE_LIB_MEASURE_SHAPE_H_
#define RAILGAUGE_LIB_MEASURE_SHAPE_H_

#include <cstdint>

#include "lib/base/units.h"

namespace railgauge {

// Queue pairs per NIC. One SRD queue pair already spreads over many network paths; a few hide the
// device's work per send queue. Few, because each costs a ring of the device.
inline constexpr uint32_t kQueuePairs = 4;
// In flight over all queue pairs, at most. At 20 us and 12.5 GB/s this is twice the
// bandwidth-delay product from messages of 1 KiB on; below, the message rate is the limit.
inline constexpr uint32_t kMaxDepth = 512;
// At least: so that several messages are on their way however large one is.
inline constexpr uint32_t kMinDepth = 4;
// Aimed at in between. Far above the bandwidth-delay product (0.25 MiB at 100 Gb/s, 1 MiB at
// 400 Gb/s): it also keeps a 100 Gb/s NIC busy for 2.7 ms while the measuring thread is off its
// CPU. Bounded, because a window ends with a drain of it, and so that it is less than the working
// set.
inline constexpr Bytes kBytesInFlight{32ull << 20};
// Work requests per doorbell, at most.
inline constexpr uint32_t kMaxBatch = 16;

// The depth of a cell that does not ask for one.
uint32_t DefaultDepth(Bytes message_size);

// How `depth` requests are spread over queue pairs.
struct QueueShape {
  uint32_t queue_pairs = 1;
  uint32_t batch = 1;  // per doorbell

  // Requests in flight on queue pair `index`: all of them together are the depth.
  uint32_t DepthOf(uint32_t index) const {
    return depth / queue_pairs + (index < depth % queue_pairs ? 1 : 0);
  }
  uint32_t depth = 1;
};

// At most `queue_pairs` of them, never more than requests. A list is at most a quarter of a queue
// pair's depth, since a list is posted when so many requests have completed, and waiting for more
// would let the queue run empty; so lists of 8 to 16 come with depths where doorbells matter.
QueueShape ShapeFor(uint32_t depth, uint32_t queue_pairs = kQueuePairs);

// Offsets at which messages of `size` bytes lie in `working_set` bytes: multiples of `stride`.
struct Slots {
  uint64_t stride = 0;
  uint64_t count = 0;  // 0: not even one message fits
};
Slots SlotsFor(Bytes message_size, Bytes working_set);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_SHAPE_H_
