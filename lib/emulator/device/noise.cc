#include "lib/emulator/device/noise.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lib/base/result.h"

namespace railgauge::efa {
namespace {

// The finalizer of SplitMix64: every bit of the result depends on every bit of `value`.
uint64_t Mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

// From 0 up to, and without, 1.
double ToUnit(uint64_t random) { return static_cast<double>(random >> 11) * 0x1p-53; }

// What of a message's noise a random number is for.
enum Use : uint64_t { kLatency, kOccupancy, kSpike, kUses };

constexpr double kLongestLatency = 10;  // in means

}  // namespace

MessageNoise::MessageNoise(const EmulatedTiming& timing, uint64_t seed, uint64_t nic)
    : timing_(timing),
      mean_latency_(static_cast<double>(ToSimTime(timing.latency_spread))),
      spike_length_(ToSimTime(timing.spike_length)),
      stream_(Mix(seed) ^ Mix(~nic)) {}

MessageNoise::Effect MessageNoise::Of(uint64_t message) const {
  Effect effect;
  if (!timing_.pacing) return effect;
  const auto random = [&](Use use) { return ToUnit(Mix(stream_ + message * kUses + use)); };
  if (mean_latency_ > 0) {
    const double means = std::min(-std::log1p(-random(kLatency)), kLongestLatency);
    effect.latency = static_cast<SimTime>(means * mean_latency_);
  }
  if (timing_.jitter > 0) effect.occupancy = 1 + timing_.jitter * random(kOccupancy);
  if (timing_.spike_probability > 0 && random(kSpike) < timing_.spike_probability) {
    effect.latency += spike_length_;
  }
  return effect;
}

uint32_t CapacityDrift::Add(const EmulatedMachine& machine, FlowNetwork* network) {
  const auto first = static_cast<uint32_t>(capacities_.size());
  const EmulatedTiming& timing = machine.timing;
  for (const EmulatedResource& resource : machine.resources) {
    const uint32_t index = network->AddResource(resource.capacity);
    RAILGAUGE_CHECK(index == capacities_.size());
    capacities_.push_back(resource.capacity);
    if (!timing.pacing || timing.drift_amplitude <= 0) continue;
    swinging_.push_back({index, timing.drift_amplitude,
                         std::max<SimTime>(ToSimTime(timing.drift_period) / kStepsPerPeriod, 1),
                         ToUnit(Mix(Mix(machine.seed) + index))});
    next_step_ = 0;
  }
  return first;
}

BytesPerSecond CapacityDrift::CapacityAt(const Swinging& swinging, SimTime now) const {
  const SimTime steps = now / swinging.step_length;
  const double periods = static_cast<double>(steps) / kStepsPerPeriod + swinging.phase;
  const double dip = (1 - std::cos(2 * std::numbers::pi * periods)) / 2;
  return BytesPerSecond{capacities_[swinging.resource].value * (1 - swinging.amplitude * dip)};
}

void CapacityDrift::SetCapacity(uint32_t resource, BytesPerSecond capacity, SimTime now,
                                FlowNetwork* network) {
  capacities_[resource] = capacity;
  const auto found =
      std::lower_bound(swinging_.begin(), swinging_.end(), resource,
                       [](const Swinging& swinging, uint32_t r) { return swinging.resource < r; });
  const bool swings = found != swinging_.end() && found->resource == resource;
  network->SetCapacity(resource, swings ? CapacityAt(*found, now) : capacity, now);
}

void CapacityDrift::Step(SimTime now, FlowNetwork* network) {
  next_step_ = kNever;
  for (const Swinging& swinging : swinging_) {
    const SimTime begin = now / swinging.step_length * swinging.step_length;
    // Others may have a shorter period.
    if (begin == now || network->NextDeparture() == kNever) {
      network->SetCapacity(swinging.resource, CapacityAt(swinging, now), now);
    }
    next_step_ = std::min(next_step_, begin + swinging.step_length);
  }
}

}  // namespace railgauge::efa
