#include "lib/scenario/timing.h"

#include <charconv>
#include <limits>
#include <string_view>
#include <system_error>

#include "fmt/core.h"

namespace railgauge {
namespace {

// "2.5%", from 0 to `most` percent.
double ReadPercent(const YamlNode& node, std::string_view what, double most, YamlErrors* errors) {
  std::string_view text = node.scalar;
  double percent = -1;
  if (text.ends_with('%')) {
    text.remove_suffix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
    if (error != std::errc() || end != text.data() + text.size()) percent = -1;
  }
  if (percent >= 0 && percent <= most) return percent / 100;
  errors->AddWrong(node, what, fmt::format("a percentage from 0% to {}%", most));
  return 0;
}

Nanoseconds ReadPeriod(const YamlMap& map, std::string_view key, YamlErrors* errors) {
  const Nanoseconds period = map.Duration(key);
  if (errors->ok() && period < Nanoseconds(1'000'000)) {
    errors->AddWrong(map.Required(key), key, "at least 1ms");
  }
  return period;
}

}  // namespace

EmulatedTiming ReadTiming(const YamlNode* node, uint64_t* seed, YamlErrors* errors) {
  EmulatedTiming timing = kDefaultTiming;
  if (node == nullptr) return timing;
  const YamlMap map(*node, "timing",
                    {"pacing", "latency_spread", "jitter", "drift", "spikes", "seed"}, errors);
  if (map.Optional("pacing") != nullptr) timing.pacing = map.Bool("pacing");
  if (map.Optional("latency_spread") != nullptr) {
    timing.latency_spread = map.Duration("latency_spread");
  }
  if (const YamlNode* jitter = map.Optional("jitter")) {
    timing.jitter = ReadPercent(*jitter, "jitter", 1000, errors);
  }
  if (const YamlNode* drift = map.Optional("drift")) {
    const YamlMap keys(*drift, "drift", {"amplitude", "period"}, errors);
    timing.drift_amplitude = ReadPercent(keys.Required("amplitude"), "amplitude", 99, errors);
    timing.drift_period = ReadPeriod(keys, "period", errors);
  }
  if (const YamlNode* spikes = map.Optional("spikes")) {
    const YamlMap keys(*spikes, "spikes", {"probability", "length"}, errors);
    timing.spike_probability =
        ReadPercent(keys.Required("probability"), "probability", 100, errors);
    timing.spike_length = keys.Duration("length");
  }
  if (const YamlNode* given = map.Optional("seed")) {
    *seed = ReadUint(*given, "seed", 0, std::numeric_limits<uint64_t>::max(), errors);
  }
  return timing;
}

}  // namespace railgauge
