// The proof of a window: what the devices' own counters, and the known line rate, say against what
// was posted. Pure: counters in, a status and its reason out.
//
// A run can silently fall back to another path, the wrong operation can run, or somebody else can
// use the NIC: the devices know. Each way of being wrong has its own status (record/records.h), so
// that a reader of rows need not understand sentences.
#ifndef RAILGAUGE_LIB_MEASURE_PROOF_H_
#define RAILGAUGE_LIB_MEASURE_PROOF_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/units.h"
#include "lib/measure/counters.h"
#include "lib/record/records.h"

namespace railgauge {

// Relative difference between counters and posted bytes that is still agreement.
inline constexpr double kCounterTolerance = 0.005;
// Share of the payload that may be sent again, or of its requests that may time out. SRD sends
// packets again now and then on a healthy fabric; from here on it is as much as the tolerance
// above, and what is lost in waiting for it is more.
inline constexpr double kRetransmissionTolerance = 0.005;
// How far above the line rate a rate is impossible and not an error of a short window.
inline constexpr double kCeilingTolerance = 0.05;
// The smallest part of a common window that a rate may rest on, and the shortest one at all: some
// wake-ups of a thread.
inline constexpr double kWindowPart = 0.5;
inline constexpr Nanoseconds kShortestRate = std::chrono::milliseconds{3};

struct Contradiction {
  SampleStatus status = SampleStatus::kInvalid;
  std::string reason;
};

// What the counters of `device` say against `expected`, what was posted in messages of `message`
// bytes meanwhile; empty when they agree. A counter that should stand still may move by no more
// than the tolerance of the largest expected one. Fewer bytes than posted are kWrongOperation where
// at least half of what is missing was moved in another way, else kWrongBytes; more are
// kForeignTraffic; then kRetransmissionBurst, where the device counts those.
std::optional<Contradiction> FindContradiction(const std::string& device,
                                               const DeviceCounters& moved,
                                               const RdmaBytes& expected, Bytes message);

// kAboveCeiling, where a line rate is known and `payload`, what completed in the window of
// `duration`, cannot have crossed the line in it: but for what was `in_flight` when it began, of
// which some may have crossed before.
std::optional<Contradiction> FindAboveCeiling(Bytes payload, Bytes in_flight, Nanoseconds duration,
                                              const std::optional<BytesPerSecond>& line_rate);

// What a window holds that closed with its common end (group_run.h), whatever it had by then.
struct WindowContent {
  uint64_t completions = 0;
  Bytes message;
  uint32_t depth = 0;
  Nanoseconds duration{0};  // from its first completions to its last
  Nanoseconds window{0};    // that was asked for
};

// kShortWindow, where that is too little for a rate: what was in flight when it opened may be all
// that completed in it; or the completions are a heap in a small part of it, as they are when what
// drives the device was kept from its CPU; or the rate is above the line's, and only what was in
// flight explains that.
std::optional<Contradiction> FindShortWindow(const WindowContent& content,
                                             const std::optional<BytesPerSecond>& line_rate);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_PROOF_H_
