// EmulatedTiming: how the time of an emulated machine varies. All of it is a pure function of the
// machine's seed and of what it applies to, so that the same seed gives the same run of the model.
//
// Noise only takes: no message is faster than the base latency and no resource faster than its
// capacity, since what is above a physical ceiling would be no noise but an error.
#ifndef RAILGAUGE_LIB_SCENARIO_EMULATED_TIMING_H_
#define RAILGAUGE_LIB_SCENARIO_EMULATED_TIMING_H_

#include "lib/base/units.h"

namespace railgauge {

struct EmulatedTiming {
  // False: nothing takes time. No capacity, no latency and no noise counts; a transfer is through
  // as soon as this host has copied it, and all of it is copied.
  bool pacing = true;
  // The mean of what a message takes beyond the base latency: exponential, cut at ten times that.
  // Messages of one queue pair overtake each other by it.
  Nanoseconds latency_spread{0};
  // A message occupies its path for up to so much longer (0.02: 2 %), evenly spread.
  double jitter = 0;
  // Every capacity swings between itself and so much less (0.05: 5 %), a sine of this period that
  // begins anywhere.
  double drift_amplitude = 0;
  Nanoseconds drift_period{0};
  // So many of the messages (0.0001: one in ten thousand) take so much longer.
  double spike_probability = 0;
  Nanoseconds spike_length{0};
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_EMULATED_TIMING_H_
