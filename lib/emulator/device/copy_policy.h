// CopyPolicy: how much of a payload is copied, so that time stays true on a host that is slower
// than the machine it emulates.
//
// While the host keeps up, everything is copied. A host that cannot would complete late; in a
// closed loop (a window of requests, each completion posts the next) lateness does not grow, it
// becomes the rate. So the sign of a slow host is not how late a copy is but that large copies keep
// ending after their due time: when all of them did for `kLagBudget`, payloads are sampled until
// nothing was in flight for `kIdleGrace` (an application that shares a CPU with the poller leaves
// the fabric idle for moments in the middle of a run). A transfer posted by a device that has none
// in flight is always whole, so whoever verifies data posts one request at a time, whatever other
// devices, of this host or of another, do meanwhile.
//
// Where what is queued already shows that it cannot be copied in time, sampling begins at once: the
// late copies of the time until it is noticed would end in a burst, and a measuring window that
// sees the burst sees more than the path's capacity.
//
// What remains host-bound on a slow host: windows so small that a whole copy takes longer than all
// of their requests, since these run idle again and again (two or three large requests).
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_COPY_POLICY_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_COPY_POLICY_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "lib/emulator/device/sim_time.h"

namespace railgauge::efa {

class CopyPolicy {
 public:
  static constexpr SimTime kLagBudget = ToSimTime(Nanoseconds(5'000'000));
  // So much behind its due time may the end of a queue be expected, at the rate of the copies so
  // far divided by the headroom: a host that is busy with copies alone has nothing left for the
  // application, nor for other processes.
  static constexpr SimTime kExpectedLag = ToSimTime(Nanoseconds(2'000'000));
  static constexpr double kHeadroom = 2;
  static constexpr SimTime kIdleGrace = ToSimTime(Nanoseconds(1'000'000));
  // A sample is this much of each end and a cache line out of every stride between.
  static constexpr uint64_t kEdgeBytes = 4096;
  // Up to here a payload is always whole, which covers every SEND (one MTU): a sample saves little
  // beside what a request costs, and those who send messages look at them, however fast they come.
  static constexpr uint64_t kAlwaysWholeBytes = 16 * 1024;
  static constexpr uint64_t kSampleBytes = 64;
  static constexpr uint64_t kSampleStride = 64 * 1024;

  // Without `may_sample` everything is copied, however late.
  explicit CopyPolicy(bool may_sample = true) : may_sample_(may_sample) {}

  bool sampling() const { return sampling_ && may_sample_; }

  // A piece of a payload of `length` bytes was copied in full at `now`.
  void OnCopied(uint64_t length, SimTime due, SimTime now) {
    if (length <= kAlwaysWholeBytes) return;  // sampling would change nothing
    if (now <= due) {
      late_since_ = kNever;
    } else if (late_since_ == kNever) {
      late_since_ = now;
    } else if (now - late_since_ > kLagBudget) {
      sampling_ = true;
    }
  }

  // `bytes` were copied in full in `elapsed`. The best rate counts: what is slower now and then was
  // preempted.
  void OnRate(uint64_t bytes, SimTime elapsed) {
    const double cost = static_cast<double>(elapsed) / static_cast<double>(bytes);
    cost_ = !cost_ || cost < *cost_ ? cost : *cost_ + (cost - *cost_) / 8;
  }

  // With a payload that is due at `due`, `bytes` wait to be copied.
  void OnQueued(uint64_t bytes, SimTime due, SimTime now) {
    if (!cost_) return;
    const double copying = kHeadroom * static_cast<double>(bytes) * *cost_;
    const double lag = copying - static_cast<double>(due - now);
    if (lag > static_cast<double>(kExpectedLag)) sampling_ = true;
  }

  // The last transfer in flight ended.
  void OnIdle(SimTime now) { idle_since_ = now; }

  // The first transfer after OnIdle is posted.
  void OnBusy(SimTime now) {
    if (now - idle_since_ < kIdleGrace) return;
    sampling_ = false;
    late_since_ = kNever;
  }

  // About what is copied of a payload of `length` bytes when it is sampled.
  static uint64_t SampledBytes(uint64_t length) {
    return std::min(length, 2 * kEdgeBytes + length / kSampleStride * kSampleBytes);
  }

  // Calls `copy(offset, bytes)` for each sampled piece of [begin, length) until it returns false.
  template <typename Copy>
  static void ForEachSample(uint64_t begin, uint64_t length, Copy copy) {
    const uint64_t tail = length > kEdgeBytes ? length - kEdgeBytes : 0;
    uint64_t offset = begin;
    uint64_t bytes = kEdgeBytes;
    while (offset < tail) {
      if (!copy(offset, std::min(bytes, tail - offset))) return;
      offset += std::max(kSampleStride, bytes);
      bytes = kSampleBytes;
    }
    const uint64_t rest = std::max(begin, tail);
    if (rest < length) copy(rest, length - rest);
  }

 private:
  bool may_sample_;
  bool sampling_ = false;
  SimTime idle_since_ = 0;
  SimTime late_since_ = kNever;  // kNever: not late
  std::optional<double> cost_;   // of a byte, in SimTime
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_COPY_POLICY_H_
