// `timing:` of a scenario, which may be left out, and each of its keys too.
#ifndef RAILGAUGE_LIB_SCENARIO_TIMING_H_
#define RAILGAUGE_LIB_SCENARIO_TIMING_H_

#include <cstdint>

#include "lib/scenario/emulated_timing.h"
#include "lib/scenario/yaml_reader.h"

namespace railgauge {

// What is not said: a spread of latency, which every network has, and no other noise.
inline constexpr EmulatedTiming kDefaultTiming{.latency_spread = Nanoseconds(500)};

// `node` is null where there is no `timing:`. Leaves `seed` alone where none is given.
EmulatedTiming ReadTiming(const YamlNode* node, uint64_t* seed, YamlErrors* errors);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_TIMING_H_
