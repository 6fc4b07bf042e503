// FaultState: what one device does wrong, and since when.
//
// Every question about a fault is a function here, so that the protocol reads as that of a healthy
// device which asks. Pure: what is random comes from a seed and what is timed from the model's
// clock, so that the same seed and the same requests give the same run. A fault that starts later
// counts from the first allocation of a UAR, which is when a driver is opened.
//
// Guesses, since what hardware does is not public: a device that stopped completing, or is gone,
// answers no peer either, which for a peer is a remote that does not respond; nothing is flushed;
// each packet is lost, dropped or refused independently of the others.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_FAULT_STATE_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_FAULT_STATE_H_

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "lib/base/units.h"
#include "lib/emulator/device/admin.h"
#include "lib/emulator/device/efa_io.h"
#include "lib/emulator/device/sim_time.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge::efa {

class FaultState {
 public:
  FaultState(std::vector<EmulatedNicFault> faults, uint64_t seed);

  // Replaces the faults; those with a start count it from `now` where the device is open.
  void Set(std::vector<EmulatedNicFault> faults, SimTime now);
  const std::vector<EmulatedNicFault>& faults() const { return faults_; }

  // A UAR was allocated.
  void OnOpened(SimTime now);

  bool IsRemoved(SimTime now) const { return Holds(Kind::kRemoved, now); }
  // Neither its own requests end nor does it answer those of others.
  bool IsSilent(SimTime now) const {
    return !faults_.empty() && (Holds(Kind::kStopCompleting, now) || IsRemoved(now));
  }
  bool CountsAsSend(SimTime now) const { return Holds(Kind::kCountsAsSend, now); }

  // The status with which a request that went well ends, where the fault strikes. Draws.
  std::optional<CompletionStatus> CompletionError(SimTime now);
  // How many of `packets` must be sent again, as a sender and as a receiver. Draw.
  uint64_t Retransmitted(uint64_t packets, SimTime now);
  uint64_t Dropped(uint64_t packets, SimTime now);
  // Whether a SEND that arrives seems to find no receive request. Draws.
  bool RefusesReceive(SimTime now);

  // What the counters show where they truly are `stats`.
  DeviceStats Show(const DeviceStats& stats, const EmulatedNicModel& model, SimTime now);
  // Taken from the line each way.
  BytesPerSecond ForeignRate(SimTime now) const;
  // Whether counters move without anybody's request.
  bool CountersMove(SimTime now) const { return ForeignRate(now).value > 0; }

  // The next time after `now` at which a fault starts; kNever when none does.
  SimTime NextStart(SimTime now) const;

 private:
  using Kind = EmulatedNicFault::Kind;

  const EmulatedNicFault* Find(Kind kind, SimTime now) const;
  bool Holds(Kind kind, SimTime now) const { return Find(kind, now) != nullptr; }
  SimTime StartOf(const EmulatedNicFault& fault) const;
  uint64_t DrawOf(uint64_t count, Kind kind, SimTime now);
  uint64_t ForeignBytes(SimTime now) const;

  std::vector<EmulatedNicFault> faults_;
  std::mt19937_64 random_;
  SimTime since_ = 0;                 // when the faults were last set
  std::optional<SimTime> opened_at_;  // or when the faults were last set, if that was later
  std::optional<DeviceStats> stuck_;
  uint64_t foreign_before_ = 0;  // bytes of foreign traffic that is over
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_FAULT_STATE_H_
