// SlotWalk: the addresses of one side's slots, one after the other, over and over.
#ifndef RAILGAUGE_LIB_MEASURE_SLOT_WALK_H_
#define RAILGAUGE_LIB_MEASURE_SLOT_WALK_H_

#include <cstdint>

#include "lib/measure/loop.h"

namespace railgauge {

// Counting along spares a division per request.
class SlotWalk {
 public:
  SlotWalk(const LoopMemory& memory, uint64_t first_slot)
      : next_(memory.address + first_slot % memory.slots.count * memory.slots.stride),
        begin_(memory.address),
        end_(memory.address + memory.slots.count * memory.slots.stride),
        stride_(memory.slots.stride) {}

  uint64_t Next() {
    const uint64_t address = next_;
    next_ += stride_;
    if (next_ == end_) next_ = begin_;
    return address;
  }

 private:
  uint64_t next_, begin_, end_, stride_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_SLOT_WALK_H_
