#include "lib/emulator/device/fault_state.h"

#include <algorithm>
#include <utility>

namespace railgauge::efa {

FaultState::FaultState(std::vector<EmulatedNicFault> faults, uint64_t seed)
    : faults_(std::move(faults)), random_(seed) {}

void FaultState::Set(std::vector<EmulatedNicFault> faults, SimTime now) {
  foreign_before_ += ForeignBytes(now);
  const bool was_removed = IsRemoved(now);
  faults_ = std::move(faults);
  // What is gone does not come back.
  if (was_removed) faults_.push_back({.kind = Kind::kRemoved});
  since_ = now;
  if (opened_at_) opened_at_ = now;
  if (!Holds(Kind::kCountersStuck, now)) stuck_.reset();
}

void FaultState::OnOpened(SimTime now) {
  if (!opened_at_) opened_at_ = now;
}

SimTime FaultState::StartOf(const EmulatedNicFault& fault) const {
  if (fault.start.count() == 0) return since_;
  return opened_at_ ? *opened_at_ + ToSimTime(fault.start) : kNever;
}

const EmulatedNicFault* FaultState::Find(Kind kind, SimTime now) const {
  for (const EmulatedNicFault& fault : faults_) {
    if (fault.kind == kind && StartOf(fault) <= now) return &fault;
  }
  return nullptr;
}

SimTime FaultState::NextStart(SimTime now) const {
  SimTime next = kNever;
  for (const EmulatedNicFault& fault : faults_) {
    const SimTime start = StartOf(fault);
    if (start > now) next = std::min(next, start);
  }
  return next;
}

uint64_t FaultState::DrawOf(uint64_t count, Kind kind, SimTime now) {
  if (faults_.empty()) return 0;
  const EmulatedNicFault* fault = Find(kind, now);
  if (fault == nullptr || count == 0) return 0;
  return std::binomial_distribution<uint64_t>(count, fault->amount)(random_);
}

std::optional<CompletionStatus> FaultState::CompletionError(SimTime now) {
  if (DrawOf(1, Kind::kCompletionErrors, now) == 0) return std::nullopt;
  return static_cast<CompletionStatus>(Find(Kind::kCompletionErrors, now)->code);
}

uint64_t FaultState::Retransmitted(uint64_t packets, SimTime now) {
  return DrawOf(packets, Kind::kRetransmissions, now);
}

uint64_t FaultState::Dropped(uint64_t packets, SimTime now) {
  return DrawOf(packets, Kind::kDrops, now);
}

bool FaultState::RefusesReceive(SimTime now) {
  return DrawOf(1, Kind::kReceiverNotReady, now) != 0;
}

BytesPerSecond FaultState::ForeignRate(SimTime now) const {
  const EmulatedNicFault* fault = Find(Kind::kForeignTraffic, now);
  return {fault == nullptr ? 0 : fault->amount};
}

uint64_t FaultState::ForeignBytes(SimTime now) const {
  const EmulatedNicFault* fault = Find(Kind::kForeignTraffic, now);
  if (fault == nullptr) return 0;
  constexpr double kPicosecondsPerSecond = 1e12;
  const auto lasted = static_cast<double>(now - StartOf(*fault));
  return static_cast<uint64_t>(fault->amount * lasted / kPicosecondsPerSecond);
}

DeviceStats FaultState::Show(const DeviceStats& stats, const EmulatedNicModel& model, SimTime now) {
  if (stuck_) return *stuck_;
  DeviceStats shown = stats;
  if (const uint64_t foreign = foreign_before_ + ForeignBytes(now); foreign > 0) {
    const uint64_t packets = foreign / std::max(model.mtu, 1u);
    shown.tx_bytes += foreign;
    shown.rx_bytes += foreign;
    shown.tx_pkts += packets;
    shown.rx_pkts += packets;
    (model.rdma_write ? shown.rdma_write_bytes : shown.rdma_read_resp_bytes) += foreign;
    (model.rdma_write ? shown.rdma_write_recv_bytes : shown.rdma_read_bytes) += foreign;
  }
  if (Holds(Kind::kCountersStuck, now)) stuck_ = shown;
  return shown;
}

}  // namespace railgauge::efa
