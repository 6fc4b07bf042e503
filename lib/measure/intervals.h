// The inside of a window: its throughput in intervals, which its mean hides. A path that stops for
// a while, or that has two speeds by turns, shows here. Pure.
#ifndef RAILGAUGE_LIB_MEASURE_INTERVALS_H_
#define RAILGAUGE_LIB_MEASURE_INTERVALS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "lib/base/units.h"
#include "lib/stats/dip.h"

namespace railgauge {

// Room for the intervals of a window, see LoopSetup: with the default of 100 ms, longer than 50 s
// they become longer. So many also fit a message of the control channel.
inline constexpr size_t kMostIntervals = 512;

struct IntervalCount {
  Nanoseconds duration{0};
  uint64_t completions = 0;
};

struct IntervalSummary {
  uint64_t count = 0;
  BytesPerSecond min;
  BytesPerSecond median;
  BytesPerSecond mad;  // median absolute deviation
  // 2: two speeds (stats/two_speeds.h) that are at least kModeGap apart and that intervals of one
  // speed show in one window of a hundred. Empty for fewer than six intervals, which cannot tell.
  std::optional<uint64_t> modes;
};

// The gap by which a wrong placement is known, too.
inline constexpr double kModeGap = 0.1;
inline constexpr double kModeChance = 0.01;

// Of messages of `size` bytes. Empty for fewer than three intervals.
std::optional<IntervalSummary> SummarizeIntervals(std::span<const IntervalCount> intervals,
                                                  Bytes size, DipTest& dip_test);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_INTERVALS_H_
