#include "lib/measure/shape.h"

#include <algorithm>

#include "lib/base/result.h"

namespace railgauge {
namespace {

constexpr uint64_t kPage = 4096;

}  // namespace

uint32_t DefaultDepth(Bytes message_size) {
  RAILGAUGE_CHECK(message_size.count > 0);
  const uint64_t wanted = kBytesInFlight.count / message_size.count;
  return static_cast<uint32_t>(std::clamp(wanted, uint64_t{kMinDepth}, uint64_t{kMaxDepth}));
}

QueueShape ShapeFor(uint32_t depth, uint32_t queue_pairs) {
  RAILGAUGE_CHECK(depth > 0 && queue_pairs > 0);
  QueueShape shape;
  shape.depth = depth;
  shape.queue_pairs = std::min(depth, queue_pairs);
  // DepthOf of the last queue pair is the smallest.
  shape.batch = std::clamp(shape.DepthOf(shape.queue_pairs - 1) / 4, 1u, kMaxBatch);
  return shape;
}

Slots SlotsFor(Bytes message_size, Bytes working_set) {
  RAILGAUGE_CHECK(message_size.count > 0);
  Slots slots;
  // Page-aligned, so that every message crosses as few pages as it can.
  slots.stride = (message_size.count + kPage - 1) / kPage * kPage;
  slots.count = working_set.count / slots.stride;
  if (slots.count == 0 && message_size <= working_set) slots.count = 1;
  return slots;
}

}  // namespace railgauge
