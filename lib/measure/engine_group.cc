// The part of Engine that measures several cells at once.

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "fmt/core.h"
#include "lib/measure/engine.h"
#include "lib/measure/proof.h"
#include "lib/measure/roles.h"

namespace railgauge {
namespace {

// How long a thread may stay away from its queues: half of what keeps the NIC busy meanwhile. Not
// what a window alone may bear (TolerableCpuWait), which is about the sum of all waits: a group's
// threads may share CPUs, and each was a load all the while if its NIC never ran out of work.
Nanoseconds BearableGap(const Sample& sample) {
  const auto in_flight = static_cast<double>(sample.cell.size.count * sample.cell.depth);
  const double rate = sample.throughput ? sample.throughput->value : 0;
  if (rate <= 0) return Nanoseconds{0};
  constexpr double kLongest = 1e9;
  return Nanoseconds{static_cast<int64_t>(std::min(in_flight / rate * 1e9 / 2, kLongest))};
}

// What the window says of a rate.
void ForgetRate(Sample* sample) {
  sample->throughput.reset();
  sample->messages_per_second.reset();
  sample->interval.reset();
  sample->interval_count.reset();
  sample->interval_min.reset();
  sample->interval_median.reset();
  sample->interval_mad.reset();
  sample->interval_modes.reset();
}

// Before it is taken again.
void ForgetWindow(Sample* sample) {
  sample->duration = Nanoseconds{0};
  sample->completions = sample->payload_bytes = 0;
  sample->disturbed.reset();
  ForgetRate(sample);
}

}  // namespace

struct Engine::Member {
  Sample sample;
  std::optional<Transfer> transfer;  // empty: it cannot be measured, and the sample says why
  std::string no_baseline;
  std::optional<Nanoseconds> away;  // its thread from its queues, in the last window, too long

  bool runs() const { return transfer && sample.status == SampleStatus::kOk; }
  PciAddress Initiator() const {
    const Cell& cell = sample.cell;
    return NicInitiates(cell.operation, cell.direction) ? cell.nic.address : sample.partner.address;
  }
};

std::vector<Sample> Engine::MeasureTogether(std::span<const GroupMember> requests,
                                            const WindowRequest& request) {
  std::vector<Member> members;
  for (const GroupMember& one : requests) members.push_back(Join(one, request.round));
  KeepOneInitiatorEach(&members);
  for (Member& member : members) {
    if (!member.runs()) continue;
    for (TransferEnd* end : {member.transfer->initiator, member.transfer->target}) {
      const std::string reason = EnsureBaseline(end);
      if (member.no_baseline.empty()) member.no_baseline = reason;
    }
    VerifyMessage(*member.transfer, 0, &member.sample);
  }
  ++group_windows_;
  for (uint32_t retake = 0; TakeTogether(&members, request); ++retake) {
    // A host with fewer CPUs than NICs disturbs every window; it must not cost a multiple of them.
    if (retake == options_.retakes || group_retakes_ > group_windows_ / 4) break;
    ++group_retakes_;
  }
  for (Member& member : members) {
    if (!member.runs()) continue;
    EndIfShort(request.timing.window, &member.sample);
    if (member.away) {
      Remark(&member.sample,
             fmt::format("disturbed: the measuring thread was kept from its CPU for {}",
                         FormatDuration(*member.away)));
    }
    if (member.runs()) {
      VerifyMessage(*member.transfer, member.transfer->slots - 1, &member.sample);
    }
  }
  SettleTogether(&members);
  std::vector<Sample> samples;
  for (Member& member : members) samples.push_back(std::move(member.sample));
  return samples;
}

Engine::Member Engine::Join(const GroupMember& request, uint32_t round) {
  Member member;
  Sample& sample = member.sample;
  sample = Begin(request.cell, round);
  if (peer_ == nullptr && request.far_end) {
    const Nic* partner = machine().FindNic(request.far_end->nic);
    if (partner != nullptr) {
      sample.partner = partner->key();
      sample.partner_place = request.far_end->place;
    }
  }
  Describe(&sample);
  if (sample.status != SampleStatus::kOk) return member;
  if (peer_ != nullptr && !NicInitiates(sample.cell.operation, sample.cell.direction)) {
    End(&sample, SampleStatus::kSkipped,
        fmt::format("{} {} is posted by the peer, whose clock has no common start with this one",
                    ToString(sample.cell.operation), ToString(sample.cell.direction)));
    return member;
  }
  member.transfer = Prepare(&sample);
  return member;
}

// What it holds stays, so that a reader sees why.
void Engine::EndIfShort(Nanoseconds window, Sample* sample) {
  const Cell& cell = sample->cell;
  const auto found = FindShortWindow(
      {sample->completions, cell.size, cell.depth, sample->duration, window}, sample->line_rate);
  if (!found) return;
  sample->status = found->status;
  Remark(sample, found->reason);
  ForgetRate(sample);
}

// Its queues are one thread's.
void Engine::KeepOneInitiatorEach(std::vector<Member>* members) {
  std::set<PciAddress> initiators;
  for (Member& member : *members) {
    if (!member.runs() || initiators.insert(member.Initiator()).second) continue;
    End(&member.sample, SampleStatus::kSkipped,
        fmt::format("{} posts for another member already",
                    member.transfer->initiator->facts().device));
    member.transfer.reset();
  }
}

bool Engine::TakeTogether(std::vector<Member>* members, const WindowRequest& request) {
  std::vector<Member*> running;
  std::vector<LocalSide::MemberRun> runs;
  for (Member& member : *members) {
    if (!member.runs()) continue;
    RunOrder order = member.transfer->order;
    order.timing = request.timing;
    order.interval = request.interval;
    running.push_back(&member);
    runs.push_back({member.Initiator(), std::move(order)});
  }
  if (runs.empty()) return false;
  const std::vector<RunOutcome> outcomes = local_->RunTogether(runs);
  bool disturbed = false;
  for (size_t i = 0; i < running.size(); ++i) {
    Member& member = *running[i];
    Sample& sample = member.sample;
    member.away.reset();
    ForgetWindow(&sample);
    const bool well = outcomes[i].completions > 0
                          ? TakeOutcome(*member.transfer, outcomes[i], &sample)
                          : Account(*member.transfer, outcomes[i], &sample);
    if (!well) continue;
    const bool away = outcomes[i].longest_gap > BearableGap(sample);
    // Completions came late and in a heap: what drove the device was kept from its CPU.
    const double part = std::chrono::duration<double>(sample.duration) /
                        std::chrono::duration<double>(request.timing.window);
    sample.disturbed = away || part < kWindowPart;
    if (!*sample.disturbed) continue;
    member.away = away ? outcomes[i].longest_gap : request.timing.window - sample.duration;
    disturbed = true;
  }
  const auto failed = [](const Member* member) { return !member->runs(); };
  if (const auto lost = std::find_if(running.begin(), running.end(), failed);
      lost != running.end()) {
    for (Member* member : running) {
      if (!member->runs()) continue;
      Remark(&member->sample,
             fmt::format("the load was less: {} failed", (*lost)->sample.cell.nic.name));
    }
    return false;
  }
  return disturbed;
}

// A device may be the end of several members: each is held against all that was posted.
void Engine::SettleTogether(std::vector<Member>* members) {
  std::map<TransferEnd*, TransferEnd::CounterLedger> ledgers;
  for (const Member& member : *members) {
    if (!member.transfer) continue;
    for (TransferEnd* end : {member.transfer->initiator, member.transfer->target}) {
      ledgers[end] = end->ledger();
    }
  }
  for (Member& member : *members) {
    // After a failure it is not known what the devices moved.
    if (!member.transfer) continue;
    if (member.sample.status == SampleStatus::kFailed) continue;
    Pending pending;
    pending.initiator = member.transfer->initiator;
    pending.target = member.transfer->target;
    pending.no_baseline = member.no_baseline;
    for (TransferEnd* end : {pending.initiator, pending.target}) {
      end->ledger() = ledgers[end];
      if (!end->ledger().last && pending.no_baseline.empty()) {
        pending.no_baseline =
            fmt::format("another member that {} served failed", end->facts().device);
      }
    }
    pending.sample = std::move(member.sample);
    member.sample = Settle(std::move(pending));
  }
}

}  // namespace railgauge
