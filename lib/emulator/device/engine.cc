#include "lib/emulator/device/engine.h"

#include <algorithm>
#include <cstring>

#include "lib/base/result.h"
#include "lib/emulator/device/gather_copy.h"

namespace railgauge::efa {
namespace {

// Bounds of what one lock-free stretch copies: some 200 µs on a slow host.
constexpr uint64_t kBatchBytes = 1024 * 1024;
constexpr size_t kBatchPieces = 64;
// Bounds of one Poll, so that its caller sees to its other duties.
constexpr int kRoundsOfPoll = 64;
// A sleeping poller need not be woken at once for a copy that has time: assumed is a host that
// copies at 4 GB/s.
constexpr SimTime kCopyPicosecondsPerByte = 250;

CopyOutcome PlainCopy(std::span<const MemoryCopy> copies) {
  for (const MemoryCopy& copy : copies) std::memcpy(copy.destination, copy.source, copy.bytes);
  return CopyOutcome::kDone;
}

FabricEnvironment Complete(FabricEnvironment environment) {
  RAILGAUGE_CHECK(environment.now != nullptr);
  if (!environment.wake) environment.wake = [] {};
  if (!environment.completion_event)
    environment.completion_event = [](uint32_t, const PciAddress&, uint16_t) {};
  if (!environment.device_removed) environment.device_removed = [](uint32_t, const PciAddress&) {};
  if (!environment.copy) environment.copy = PlainCopy;
  if (!environment.between_copies) environment.between_copies = [] {};
  return environment;
}

}  // namespace

Engine::Engine(FabricEnvironment environment, TransferHandler* handler, const Options& options)
    : environment_(Complete(std::move(environment))),
      handler_(handler),
      epoch_(environment_.now()),
      options_(options),
      policy_(options.may_sample) {}

SimTime Engine::Now() const { return ToSimTime(environment_.now() - epoch_); }

void Engine::Release(Lock& lock) {
  const bool wake = std::exchange(wake_, false);
  const auto events = std::exchange(events_to_raise_, {});
  const auto removals = std::exchange(removals_to_raise_, {});
  lock.unlock();
  for (const Event& event : events) environment_.completion_event(event.node, event.nic, event.cq);
  for (const Event& event : removals) environment_.device_removed(event.node, event.nic);
  if (wake) environment_.wake();
}

Transfer& Engine::Start(uint64_t& of_initiator) {
  if (unused_.empty()) {
    transfers_.push_back(std::make_unique<Transfer>());
    unused_.push_back(transfers_.back().get());
  }
  Transfer& transfer = *unused_.back();
  unused_.pop_back();
  transfer.sequence = sequence_++;
  transfer.of_initiator = &of_initiator;
  transfer.posted_to_idle = of_initiator++ == 0;
  if (in_flight_++ == 0) policy_.OnBusy(Now());
  return transfer;
}

void Engine::Push(Queue& queue, Transfer& transfer) {
  if (&queue == &uncopied_) uncopied_bytes_ += transfer.copy_length - transfer.copied;
  transfer.queued = true;
  queue.push({transfer.due, transfer.sequence, &transfer});
}

void Engine::Schedule(Transfer& transfer, SimTime due) {
  transfer.due = transfer.scheduled = due;
  Push(timed_, transfer);
  RequestWake(due);
}

void Engine::Move(Transfer& transfer, const Way& way) {
  const SimTime now = Now();
  Advance(now);
  transfer.moves_in = way.flow;
  transfer.flow_bytes = way.bytes;
  transfer.latency = way.latency;
  Enter(transfer, way.since, now);
  RequestWake(transfer.due);
}

void Engine::MoveAndCopy(Transfer& transfer, const Way& way) {
  if (transfer.copy_length == 0) return Move(transfer, way);
  transfer.to_copy = true;
  Move(transfer, way);
  Push(uncopied_, transfer);
  const bool was_sampling = policy_.sampling();
  policy_.OnQueued(uncopied_bytes_, transfer.due, Now());
  if (!was_sampling && policy_.sampling()) SpreadBacklog();
  RequestWake(transfer.due - static_cast<SimTime>(transfer.copy_length) * kCopyPicosecondsPerByte);
}

void Engine::Enter(Transfer& transfer, SimTime since, SimTime now) {
  transfer.moved_at = now;
  if (network_.Post(*transfer.moves_in, transfer, transfer.flow_bytes, since, now)) {
    return OnDeparted(transfer);
  }
  if (transfer.latency < options_.least_latency) ++without_latency_;
  transfer.due = ExpectedDue(transfer);
}

void Engine::OnDeparted(Transfer& transfer) {
  transfer.scheduled = transfer.departed + transfer.latency;
  // What this host was late with shortens no latency.
  transfer.due = std::max(transfer.departed, transfer.moved_at) + transfer.latency;
  if (!transfer.to_copy) Push(timed_, transfer);
}

void Engine::OnCopied(Transfer& transfer) {
  transfer.to_copy = false;
  if (transfer.flow == nullptr) Push(timed_, transfer);
}

SimTime Engine::ExpectedDue(const Transfer& transfer) const {
  if (transfer.flow == nullptr) return transfer.due;
  return std::max(network_.ExpectedDeparture(transfer), transfer.moved_at) + transfer.latency;
}

// Lets the network's time pass.
void Engine::Advance(SimTime now) {
  while (drift_.next_step() <= now) {
    TakeDeparted(drift_.next_step());
    // Where nothing moves only the last step counts.
    const bool idle = network_.NextDeparture() == kNever;
    drift_.Step(idle ? now : drift_.next_step(), &network_);
  }
  TakeDeparted(now);
}

void Engine::TakeDeparted(SimTime now) {
  while (FlowMessage* message = network_.TakeDeparted(now)) {
    auto& transfer = static_cast<Transfer&>(*message);
    if (transfer.latency < options_.least_latency) --without_latency_;
    OnDeparted(transfer);
  }
}

// Nothing in the network can be due earlier, whatever the rates become of themselves.
SimTime Engine::NextFromNetwork() const {
  if (network_.NextDeparture() == kNever) return kNever;
  const SimTime next = std::min(network_.NextDeparture(), drift_.next_step());
  return next + (without_latency_ > 0 ? 0 : options_.least_latency);
}

void Engine::SetCapacity(uint32_t resource, BytesPerSecond capacity) {
  const SimTime now = Now();
  Advance(now);
  drift_.SetCapacity(resource, capacity, now, &network_);
  RequestWake(NextFromNetwork());
}

void Engine::RequestWake(SimTime at) {
  if (at >= poll_at_) return;
  at = std::max(at, Now());  // the poller cannot be expected in the past
  if (at >= poll_at_) return;
  poll_at_ = at;
  wake_ = true;
}

void Engine::Cancel(Transfer& transfer) {
  const SimTime now = Now();
  Advance(now);
  if (transfer.flow != nullptr) {
    if (transfer.latency < options_.least_latency) --without_latency_;
    network_.Remove(transfer, now);
    RequestWake(NextFromNetwork());
  }
  LeaveFlight(transfer, now);
  transfer.cancelled = true;
  if (!transfer.queued) Recycle(transfer);  // else when its queue comes to it
}

void Engine::Finish(Transfer& transfer) {
  LeaveFlight(transfer, Now());
  Recycle(transfer);
}

void Engine::Hold(Transfer& transfer) {
  LeaveFlight(transfer, Now());
  transfer.held = true;
}

void Engine::LeaveFlight(const Transfer& transfer, SimTime now) {
  if (transfer.held) return;
  --*transfer.of_initiator;
  if (--in_flight_ == 0) policy_.OnIdle(now);
}

void Engine::Recycle(Transfer& transfer) {
  // Everything but the vectors' memory.
  Transfer fresh;
  fresh.source = std::move(transfer.source);
  fresh.destination = std::move(transfer.destination);
  fresh.local_regions = std::move(transfer.local_regions);
  fresh.remote_regions = std::move(transfer.remote_regions);
  fresh.source.clear();
  fresh.destination.clear();
  fresh.local_regions.clear();
  fresh.remote_regions.clear();
  transfer = std::move(fresh);
  unused_.push_back(&transfer);
}

Transfer* Engine::PopLive(Queue& queue, SimTime until) {
  while (!queue.empty() && queue.top().due <= until) {
    Transfer* transfer = queue.top().transfer;
    queue.pop();
    transfer->queued = false;
    if (&queue == &uncopied_) uncopied_bytes_ -= transfer->copy_length - transfer->copied;
    if (!transfer->cancelled) return transfer;
    Recycle(*transfer);
  }
  return nullptr;
}

void Engine::WaitForCopies(Lock& lock) {
  const uint64_t batch = batch_number_;
  batch_done_.wait(lock, [&] { return !copying_ || batch_number_ != batch; });
}

void Engine::RunDue() {
  const SimTime now = Now();
  Advance(now);
  while (Transfer* transfer = PopLive(timed_, now)) handler_->OnDue(*transfer, now);
}

bool Engine::TakeBatch() {
  batch_.clear();
  uint64_t room = kBatchBytes;
  while (room > 0 && batch_.size() < kBatchPieces) {
    Transfer* transfer = PopLive(uncopied_, kNever);
    if (transfer == nullptr) break;
    if (!handler_->MayCopy(*transfer)) {
      OnCopied(*transfer);
      continue;
    }
    const bool sampled = policy_.sampling() && !transfer->posted_to_idle &&
                         transfer->copy_length > CopyPolicy::kAlwaysWholeBytes;
    const uint64_t left = transfer->copy_length - transfer->copied;
    const uint64_t take = sampled ? left : std::min(left, room);
    batch_.push_back({transfer, transfer->copied + take, sampled});
    room -= std::min(sampled ? CopyPolicy::SampledBytes(take) : take, room);
  }
  return !batch_.empty();
}

void Engine::CopyPiece(const Piece& piece) {
  Transfer& transfer = *piece.transfer;
  copies_.clear();
  const auto add = [&](uint64_t offset, uint64_t bytes) {
    AppendCopies(transfer.destination, transfer.source, offset, bytes, copies_);
    return true;
  };
  if (piece.sampled) {
    CopyPolicy::ForEachSample(transfer.copied, piece.end, add);
  } else {
    add(transfer.copied, piece.end - transfer.copied);
  }
  const CopyOutcome outcome = environment_.copy(copies_);
  if (outcome == CopyOutcome::kDone) return;
  const bool local_source = transfer.request.op != SendOp::kRdmaRead;
  const bool gone = outcome == CopyOutcome::kSourceGone || outcome == CopyOutcome::kDestinationGone;
  const bool source = outcome == CopyOutcome::kSourceFault || outcome == CopyOutcome::kSourceGone;
  if (source == local_source) {
    transfer.status = CompletionStatus::kInvalidLkey;
  } else {
    transfer.status = gone ? CompletionStatus::kUnrespRemote : CompletionStatus::kBadAddress;
  }
}

void Engine::CopyBatch() {
  for (const Piece& piece : batch_) CopyPiece(piece);
}

// When sampling begins, all that is late would complete at once: more than the path's capacity, for
// a window that begins here. So it takes its time again.
void Engine::SpreadBacklog() {
  const SimTime now = Now();
  Advance(now);
  std::vector<Transfer*> waiting;
  while (Transfer* transfer = PopLive(uncopied_, kNever)) waiting.push_back(transfer);
  for (Transfer* transfer : waiting) {
    const bool late = transfer->flow == nullptr && transfer->due <= now;
    if (late && handler_->MayCopy(*transfer)) Enter(*transfer, now, now);
    transfer->due = ExpectedDue(*transfer);
    Push(uncopied_, *transfer);
  }
}

void Engine::FinishBatch(SimTime started) {
  const SimTime now = Now();
  const bool was_sampling = policy_.sampling();
  uint64_t whole = 0;
  bool all_whole = true;
  for (const Piece& piece : batch_) {
    Transfer& transfer = *piece.transfer;
    all_whole = all_whole && !piece.sampled && transfer.status == CompletionStatus::kOk;
    if (!piece.sampled) policy_.OnCopied(transfer.copy_length, ExpectedDue(transfer), now);
    whole += piece.end - transfer.copied;
    transfer.copied = piece.end;
    if (transfer.copied == transfer.copy_length || transfer.status != CompletionStatus::kOk) {
      OnCopied(transfer);
    } else {
      Push(uncopied_, transfer);
    }
  }
  // Of a small batch, most of the time is not copying.
  if (all_whole && whole >= kBatchBytes / 2) policy_.OnRate(whole, now - started);
  if (!was_sampling && policy_.sampling()) SpreadBacklog();
}

std::optional<Nanoseconds> Engine::Poll() {
  std::lock_guard polling(poll_mutex_);
  Lock lock(mutex_);
  poll_at_ = kPolling;
  for (int round = 0; round < kRoundsOfPoll; ++round) {
    RunDue();
    if (!TakeBatch()) break;
    copying_ = true;
    const SimTime started = Now();
    Release(lock);
    CopyBatch();
    environment_.between_copies();
    lock.lock();
    copying_ = false;
    ++batch_number_;
    batch_done_.notify_all();
    FinishBatch(started);
  }
  RunDue();
  poll_at_ = timed_.empty() ? NextFromNetwork() : std::min(timed_.top().due, NextFromNetwork());
  if (!uncopied_.empty()) poll_at_ = Now();
  const SimTime next = poll_at_;
  Release(lock);
  if (next == kNever) return std::nullopt;
  return epoch_ + ToNanoseconds(next);
}

}  // namespace railgauge::efa
