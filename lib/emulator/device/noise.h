// Noise: what varies from message to message, and capacities that drift. Both are pure functions of
// the seed and of what they apply to: the number of a NIC's message, a resource and the time.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_NOISE_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_NOISE_H_

#include <cstdint>
#include <vector>

#include "lib/base/units.h"
#include "lib/emulator/device/flow_network.h"
#include "lib/emulator/device/sim_time.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge::efa {

// What a NIC's messages take beyond what they would on a quiet machine.
class MessageNoise {
 public:
  // `nic` tells the NICs of a fabric apart.
  MessageNoise(const EmulatedTiming& timing, uint64_t seed, uint64_t nic);

  struct Effect {
    SimTime latency = 0;
    double occupancy = 1;  // of the path, as a multiple of the message's bytes
  };
  Effect Of(uint64_t message) const;

 private:
  const EmulatedTiming timing_;
  const double mean_latency_;
  const SimTime spike_length_;
  const uint64_t stream_;
};

// The capacities of all resources of a network, which swing in steps.
class CapacityDrift {
 public:
  static constexpr int kStepsPerPeriod = 64;

  // Adds the resources of `machine` to `network`; returns the index of the first.
  uint32_t Add(const EmulatedMachine& machine, FlowNetwork* network);

  // What `resource` has when it does not swing.
  void SetCapacity(uint32_t resource, BytesPerSecond capacity, SimTime now, FlowNetwork* network);

  // When the next capacities change; kNever when none drifts.
  SimTime next_step() const { return next_step_; }
  // Sets the capacities of that step, which is the next one or a later one: the last until `now`.
  void Step(SimTime now, FlowNetwork* network);

 private:
  struct Swinging {
    uint32_t resource;
    double amplitude;
    SimTime step_length;
    double phase;  // in periods
  };
  BytesPerSecond CapacityAt(const Swinging& swinging, SimTime now) const;

  std::vector<BytesPerSecond> capacities_;  // by resource
  std::vector<Swinging> swinging_;          // by ascending resource
  SimTime next_step_ = kNever;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_NOISE_H_
