// IdPool: numbers from 0 to a limit, the longest unused one first.
//
// A device's object numbers are short (16 bits of PD, CQ, AH, QP), so they are reused; reusing the
// oldest keeps a stale number invalid for as long as possible, which is what tests of stale keys
// and tools that keep a number too long need.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_ID_POOL_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_ID_POOL_H_

#include <cstdint>
#include <deque>
#include <optional>

namespace railgauge::efa {

class IdPool {
 public:
  explicit IdPool(uint32_t limit) : limit_(limit) {}

  // Empty when `limit` numbers are in use.
  std::optional<uint32_t> Allocate() {
    if (next_ < limit_) return next_++;
    if (free_.empty()) return std::nullopt;
    const uint32_t id = free_.front();
    free_.pop_front();
    return id;
  }

  // `id` must be one that Allocate gave and that is not free.
  void Free(uint32_t id) { free_.push_back(id); }

  uint32_t limit() const { return limit_; }
  uint32_t in_use() const { return next_ - static_cast<uint32_t>(free_.size()); }

 private:
  uint32_t limit_;
  uint32_t next_ = 0;  // numbers from here on were never used
  std::deque<uint32_t> free_;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_ID_POOL_H_
