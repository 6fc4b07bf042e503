#include "lib/measure/engine.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "fmt/core.h"
#include "lib/measure/counters.h"
#include "lib/measure/cpu_wait.h"
#include "lib/measure/outcome_columns.h"
#include "lib/measure/proof.h"
#include "lib/measure/roles.h"
#include "lib/topology/relation.h"

namespace railgauge {
namespace {

// Twenty times as many as the chance that makes two modes (intervals.h) needs at the least.
constexpr size_t kDipDraws = 2000;
constexpr uint64_t kDipSeed = 1;

}  // namespace

Result<std::unique_ptr<Engine>> Engine::Create(Machine machine, CudaDriver cuda,
                                               const EngineOptions& options,
                                               std::unique_ptr<PeerSide> peer) {
  RAILGAUGE_ASSIGN_OR_RETURN(auto local,
                             LocalSide::Create(std::move(machine), std::move(cuda), options.local));
  return std::unique_ptr<Engine>(new Engine(std::move(local), std::move(peer), options));
}

Engine::Engine(std::unique_ptr<LocalSide> local, std::unique_ptr<PeerSide> peer,
               const EngineOptions& options)
    : options_(options),
      peer_(std::move(peer)),
      local_(std::move(local)),
      dip_test_(kDipSeed, kDipDraws) {
  if (peer_ != nullptr) local_->CancelBy(&peer_->gone());
}

Sample Engine::Measure(const Cell& cell, const WindowRequest& request) {
  return Settle(Start(cell, request));
}

void Engine::MeasureAll(const Plan& plan, const std::function<void(const Sample&)>& sink,
                        const std::function<bool()>& should_stop) {
  retakes_left_ = plan.windows.size() / 4;
  std::optional<Pending> waiting;
  const auto settle = [&] {
    if (waiting) sink(Settle(*std::exchange(waiting, std::nullopt)));
  };
  for (const PlannedWindow& window : plan.windows) {
    if (should_stop && should_stop()) break;
    // A device's counters must be read before it moves anything else.
    if (waiting && Disturbs(window.cell, *waiting)) settle();
    WindowRequest request;
    request.timing = plan.timing;
    request.round = window.round;
    Pending next = Start(window.cell, request);
    settle();
    waiting = std::move(next);
  }
  settle();
  retakes_left_.reset();
}

bool Engine::Disturbs(const Cell& cell, const Pending& pending) {
  if (pending.initiator == nullptr) return false;
  Sample next;
  next.cell = cell;
  Describe(&next);
  for (const Result<TransferEnd*>& end :
       {NicEnd(cell.nic.address), PartnerEnd(next.partner.address)}) {
    if (end && (*end == pending.initiator || *end == pending.target)) return true;
  }
  return false;
}

void Engine::End(Sample* sample, SampleStatus status, std::string reason) {
  sample->status = status;
  sample->reason = std::move(reason);
  if (status == SampleStatus::kSkipped) sample->skip_cause = SkipCause::kNotPossible;
}

void Engine::Remark(Sample* sample, const std::string& remark) {
  if (!sample->reason.empty()) sample->reason += "; ";
  sample->reason += remark;
}

Sample Engine::Begin(const Cell& cell, uint32_t round) const {
  Sample sample;
  sample.cell = cell;
  if (cell.depth == 0 && cell.size.count > 0) sample.cell.depth = DefaultDepth(cell.size);
  sample.round = round;
  sample.status = SampleStatus::kOk;
  sample.start_offset = MeasuringClock::now() - options_.run_start;
  return sample;
}

Engine::Pending Engine::Start(const Cell& cell, const WindowRequest& request) {
  Pending pending;
  Sample& sample = pending.sample;
  sample = Begin(cell, request.round);
  if (request.latency) sample.cell.depth = 1;
  Describe(&sample);
  if (sample.status != SampleStatus::kOk) return pending;
  if (request.latency && cell.operation == Operation::kWrite &&
      cell.direction == Direction::kToMemory) {
    End(&sample, SampleStatus::kSkipped,
        "the latency of a WRITE is half of a round trip, which goes both ways: it is measured as "
        "from_memory");
    return pending;
  }
  std::optional<Transfer> transfer = Prepare(&sample);
  if (!transfer) return pending;

  pending.no_baseline = EnsureBaseline(transfer->initiator);
  if (transfer->target != transfer->initiator) {
    const std::string reason = EnsureBaseline(transfer->target);
    if (pending.no_baseline.empty()) pending.no_baseline = reason;
  }
  Run(&*transfer, request, &sample);
  // After a failure it is not known what the devices moved.
  if (sample.status == SampleStatus::kFailed) return pending;
  pending.initiator = transfer->initiator;
  pending.target = transfer->target;
  return pending;
}

void Engine::Describe(Sample* sample) {
  const Cell& cell = sample->cell;
  const Nic* nic = machine().FindNic(cell.nic.address);
  if (nic == nullptr) {
    return End(sample, SampleStatus::kSkipped,
               fmt::format("this machine has no EFA device at {}", cell.nic.address.ToString()));
  }
  // A group chooses its members' partners.
  if (sample->partner.address == PciAddress{} && !DescribePartner(*nic, sample)) return;
  if (cell.place.is_gpu()) {
    const CudaDriver& cuda = local_->memory().cuda();
    if (machine().FindGpu(cell.place.gpu) == nullptr) {
      End(sample, SampleStatus::kSkipped,
          fmt::format("this machine has no GPU at {}", cell.place.gpu.ToString()));
    } else if (cuda.FindGpu(cell.place.gpu) == nullptr) {
      const std::string& why = cuda.absence_reason();
      End(sample, SampleStatus::kSkipped,
          fmt::format("CUDA does not show the GPU at {}{}{}", cell.place.gpu.ToString(),
                      why.empty() ? "" : ": ", why));
    }
  } else {
    const NumaNode* node = machine().FindNumaNode(cell.place.numa_node);
    if (node == nullptr || node->memory.count == 0) {
      End(sample, SampleStatus::kSkipped,
          fmt::format("this machine has no memory on NUMA node {}", cell.place.numa_node));
    }
  }
  if (sample->status == SampleStatus::kOk && peer_ != nullptr && peer_->gone()) {
    End(sample, SampleStatus::kSkipped, "the peer is gone: " + peer_->why_gone());
    sample->skip_cause = SkipCause::kPeerGone;
  }
}

// The NIC and the memory at the other end. Returns whether there are such.
bool Engine::DescribePartner(const Nic& nic, Sample* sample) {
  std::optional<MemoryPlace> place;
  if (peer_ != nullptr) {
    const PeerNic& partner = peer_->PartnerOf(nic);
    sample->peer = peer_->identity().host;
    sample->partner = {partner.address, partner.name};
    place = partner.place;
  } else {
    const Nic* partner = machine().FindNic(
        railgauge::PartnerOf(machine(), nic.position.address, sample->cell.place));
    sample->partner = partner->key();
    place = PartnerPlace(machine(), *partner);
  }
  if (!place) {
    End(sample, SampleStatus::kSkipped,
        fmt::format("{} shows no NUMA node with memory",
                    peer_ != nullptr ? sample->peer : "this machine"));
    return false;
  }
  sample->partner_place = *place;
  return true;
}

std::optional<Engine::Transfer> Engine::Prepare(Sample* sample) {
  const Cell& cell = sample->cell;
  Transfer transfer;
  const auto nic = NicEnd(cell.nic.address);
  const auto partner = PartnerEnd(sample->partner.address);
  if (!nic || !partner) {
    End(sample, SampleStatus::kFailed, ReasonOf(!nic ? nic.error() : partner.error()));
    return std::nullopt;
  }
  transfer.nic = *nic;
  transfer.partner = *partner;
  const bool nic_initiates = NicInitiates(cell.operation, cell.direction);
  transfer.initiator = nic_initiates ? *nic : *partner;
  transfer.target = nic_initiates ? *partner : *nic;

  if (const std::optional<std::string> reason = WhyNot(transfer, *sample)) {
    End(sample, SampleStatus::kSkipped, *reason);
    return std::nullopt;
  }
  if (const Status connected = Connect(&transfer, sample); !connected) {
    End(sample, SampleStatus::kFailed, ReasonOf(connected.error()));
    BlameLostDevice(transfer, sample);
    return std::nullopt;
  }
  return transfer;
}

// What the devices or the working set cannot do; empty when they can.
std::optional<std::string> Engine::WhyNot(const Transfer& transfer, const Sample& sample) const {
  const Cell& cell = sample.cell;
  for (const TransferEnd* end : {transfer.nic, transfer.partner}) {
    if (end->facts().Can(cell.operation)) continue;
    return fmt::format("{} has no RDMA {}", end->facts().device, ToString(cell.operation));
  }
  const EndFacts& initiator = transfer.initiator->facts();
  if (cell.size.count == 0 || cell.size.count > initiator.max_rdma_bytes) {
    return fmt::format("{} takes RDMA messages from 1 to {} bytes, not {}", initiator.device,
                       initiator.max_rdma_bytes, cell.size.count);
  }
  Bytes memory = local_->memory().SizeFor(cell.place);
  if (peer_ == nullptr) {
    memory = std::min(memory, local_->memory().SizeFor(sample.partner_place));
  }
  if (cell.size > memory) {
    return fmt::format("a message of {} does not fit the {} that a run rotates over",
                       FormatBytes(cell.size), FormatBytes(memory));
  }
  if (cell.depth > initiator.max_depth) {
    return fmt::format("a depth of {} is more than the {} of {}", cell.depth, initiator.max_depth,
                       initiator.device);
  }
  return std::nullopt;
}

// Registers the memory, makes the NICs known to each other, and writes the initiator's order.
Status Engine::Connect(Transfer* transfer, Sample* sample) {
  const Cell& cell = sample->cell;
  const EndPlace nic_place = {cell.place, MemoryRole::kUnderTest};
  const EndPlace partner_place = {sample->partner_place, MemoryRole::kPartner};
  RAILGAUGE_ASSIGN_OR_RETURN(const EndMemory place, transfer->nic->Register(nic_place));
  RAILGAUGE_ASSIGN_OR_RETURN(const EndMemory partner, transfer->partner->Register(partner_place));
  sample->way = place.way;
  for (const TransferEnd* end : {transfer->nic, transfer->partner}) {
    const std::optional<BytesPerSecond>& rate = end->facts().line_rate;
    if (rate) sample->line_rate = std::min(*rate, sample->line_rate.value_or(*rate));
  }
  if (const auto field = AttributingField(cell.operation, cell.direction)) {
    sample->interconnect_id = place.ids.Get(*field);
  }
  const uint64_t shorter = std::min(place.length, partner.length);
  const Slots slots = SlotsFor(cell.size, Bytes{shorter});
  if (slots.count == 0) {  // a peer's memory may be smaller than this host's
    return Fail(MakeError(
        "measure", transfer->partner->facts().device,
        fmt::format("a message of {} is larger than its working set", FormatBytes(cell.size))));
  }
  transfer->slots = slots.count;
  transfer->stride = slots.stride;
  RAILGAUGE_RETURN_IF_ERROR(transfer->initiator->Meet(transfer->target->queues().gid));
  RAILGAUGE_RETURN_IF_ERROR(transfer->target->Meet(transfer->initiator->queues().gid));

  const bool to_place = DataGoesToPlace(cell.direction);
  transfer->source = to_place ? transfer->partner : transfer->nic;
  transfer->source_place = to_place ? partner_place : nic_place;
  transfer->sink = to_place ? transfer->nic : transfer->partner;
  transfer->sink_place = to_place ? nic_place : partner_place;
  // By the roles, since a machine's only NIC is both ends.
  const bool nic_initiates = NicInitiates(cell.operation, cell.direction);
  RunOrder& order = transfer->order;
  order.operation = cell.operation;
  order.local = nic_initiates ? nic_place : partner_place;
  order.target = transfer->target->queues();
  order.remote = nic_initiates ? partner : place;
  transfer->own = nic_initiates ? place : partner;
  if (options_.local.working_set.asked_for) {
    order.remote.length = std::min(order.remote.length, shorter);
    transfer->own.length = std::min(transfer->own.length, shorter);
  }
  order.message_bytes = static_cast<uint32_t>(cell.size.count);
  order.depth = cell.depth;
  order.stall_deadline = options_.stall_deadline;
  order.between_hosts = peer_ != nullptr;
  return {};
}

void Engine::Run(Transfer* transfer, const WindowRequest& request, Sample* sample) {
  if (!VerifyMessage(*transfer, 0, sample)) return;
  RunOrder order = transfer->order;
  order.timing = request.timing;
  order.interval = request.interval;
  order.latency = request.latency;
  order.min_completions = request.min_completions;
  std::optional<Nanoseconds> disturbed;
  for (uint32_t retake = 0;; ++retake) {
    std::optional<Nanoseconds> waited;
    if (!TakeWindow(*transfer, order, sample, &waited)) return;
    disturbed.reset();
    sample->disturbed = waited ? std::optional(false) : std::nullopt;
    const double seconds = std::chrono::duration<double>(sample->duration).count();
    const BytesPerSecond rate{seconds > 0 ? static_cast<double>(sample->payload_bytes) / seconds
                                          : 0};
    if (!waited || *waited <= TolerableCpuWait(Bytes{sample->cell.size.count * sample->cell.depth},
                                               rate, sample->duration)) {
      break;
    }
    disturbed = waited;
    if (retake == options_.retakes || retakes_left_ == 0) break;
    if (retakes_left_) --*retakes_left_;
  }
  if (disturbed) {
    sample->disturbed = true;
    Remark(sample, fmt::format("disturbed: the measuring thread waited {} for its CPU",
                               FormatDuration(*disturbed)));
  }
  VerifyMessage(*transfer, transfer->slots - 1, sample);
}

// Runs one window. Returns whether it went well.
bool Engine::TakeWindow(const Transfer& transfer, const RunOrder& order, Sample* sample,
                        std::optional<Nanoseconds>* cpu_wait) {
  const bool exchange = order.latency && order.operation == Operation::kWrite;
  const RunOutcome outcome =
      exchange ? RunExchange(transfer, order) : transfer.initiator->Run(order);
  *cpu_wait = outcome.cpu_wait;
  return TakeOutcome(transfer, outcome, sample);
}

RunOutcome Engine::RunExchange(const Transfer& transfer, RunOrder order) {
  AnswerOrder answer;
  answer.local = transfer.sink_place;
  answer.asker = transfer.initiator->queues();
  answer.remote = transfer.own;
  answer.message_bytes = order.message_bytes;
  const auto queues = transfer.target->StartAnswering(answer);
  if (!queues) {
    RunOutcome outcome;
    outcome.failure = queues.error();
    return outcome;
  }
  order.target = *queues;
  RunOutcome outcome = transfer.initiator->Run(order);
  const AnswerOutcome answers = transfer.target->StopAnswering();
  outcome.answered = answers.posted;
  if (answers.cpu_wait && outcome.cpu_wait) *outcome.cpu_wait += *answers.cpu_wait;
  // Without answers the initiator fails, too, and knows less.
  if (answers.failure) outcome.failure = answers.failure;
  return outcome;
}

bool Engine::TakeOutcome(const Transfer& transfer, const RunOutcome& outcome, Sample* sample) {
  if (!Account(transfer, outcome, sample)) return false;
  SetOutcomeColumns(outcome, dip_test_, sample);
  sample->start_offset = outcome.window_start - options_.run_start;
  return true;
}

// One message on its own, compared byte by byte. Returns whether to go on.
bool Engine::VerifyMessage(const Transfer& transfer, uint64_t slot, Sample* sample) {
  RunOrder order = transfer.order;
  order.depth = 1;
  order.max_requests = 1;
  order.first_slot = slot;
  const uint64_t offset = slot * transfer.stride;
  const uint64_t size = sample->cell.size.count;
  const uint64_t seed = next_seed_;
  next_seed_ += 2;
  Status filled = transfer.source->Fill(transfer.source_place, seed, offset, size);
  // So that what an earlier message left is not taken for this one.
  if (filled) filled = transfer.sink->Fill(transfer.sink_place, seed + 1, offset, size);
  if (!filled) {
    End(sample, SampleStatus::kFailed, ReasonOf(filled.error()));
    return false;
  }
  if (!Account(transfer, transfer.initiator->Run(order), sample)) return false;
  const auto mismatch = transfer.sink->Verify(transfer.sink_place, seed, offset, size);
  if (!mismatch) {
    End(sample, SampleStatus::kFailed, ReasonOf(mismatch.error()));
    return false;
  }
  if (*mismatch) {
    End(sample, SampleStatus::kWrongData,
        "the data that arrived differs from what was sent: " + **mismatch);
    return false;
  }
  return true;
}

// Books what a run moved. Returns whether it went well; else the sample has failed.
bool Engine::Account(const Transfer& transfer, const RunOutcome& outcome, Sample* sample) {
  const Operation operation = sample->cell.operation;
  const uint64_t bytes = outcome.posted * sample->cell.size.count;
  const auto now = MeasuringClock::now();
  sample->posted_bytes = sample->posted_bytes.value_or(0) + bytes;
  transfer.initiator->ledger().expected.AddInitiated(operation, bytes);
  transfer.target->ledger().expected.AddServed(operation, bytes);
  const uint64_t answers = outcome.answered * sample->cell.size.count;
  // A machine's only NIC answers itself, and has one counter for both.
  if (transfer.initiator == transfer.target) *sample->posted_bytes += answers;
  transfer.target->ledger().expected.AddInitiated(operation, answers);
  transfer.initiator->ledger().expected.AddServed(operation, answers);
  transfer.initiator->ledger().quiet_since = now;
  transfer.target->ledger().quiet_since = now;
  if (!outcome.failure) return true;

  End(sample, SampleStatus::kFailed, ReasonOf(*outcome.failure));
  for (TransferEnd* end : {transfer.initiator, transfer.target}) end->ledger() = {};
  BlameLostDevice(transfer, sample);
  return false;
}

// A failed transfer whose device is lost says so, whatever its error was.
void Engine::BlameLostDevice(const Transfer& transfer, Sample* sample) {
  for (TransferEnd* end : {transfer.initiator, transfer.target}) {
    if (const auto lost = end->TakeLoss(sample->cell.operation)) {
      End(sample, SampleStatus::kFailed, ReasonOf(*lost));
    }
  }
}

std::string Engine::EnsureBaseline(TransferEnd* end) {
  TransferEnd::CounterLedger& ledger = end->ledger();
  if (ledger.last) return "";
  std::this_thread::sleep_until(ledger.quiet_since + kCounterCacheLife);
  const auto reading = end->ReadCounters();
  if (!reading) return ReasonOf(reading.error());
  ledger.last = *reading;
  ledger.expected = {};
  return "";
}

Sample Engine::Settle(Pending pending) {
  Sample& sample = pending.sample;
  if (pending.initiator == nullptr) return std::move(sample);
  const auto contradict = [&](const std::optional<Contradiction>& found) {
    if (found && sample.status == SampleStatus::kOk) End(&sample, found->status, found->reason);
  };
  std::string unreadable = pending.no_baseline;
  std::vector<TransferEnd*> ends = {pending.initiator};
  if (pending.target != pending.initiator) ends.push_back(pending.target);
  for (TransferEnd* end : ends) {
    TransferEnd::CounterLedger& ledger = end->ledger();
    std::this_thread::sleep_until(ledger.quiet_since + kCounterCacheLife);
    const auto reading = end->ReadCounters();
    if (!reading) {
      if (unreadable.empty()) unreadable = ReasonOf(reading.error());
      ledger.last.reset();
      continue;
    }
    if (ledger.last && unreadable.empty()) {
      const DeviceCounters moved = *reading - *ledger.last;
      if (end == pending.initiator) {
        sample.counter_bytes = moved.rdma.Initiated(sample.cell.operation);
      }
      if (moved.retransmitted_bytes) {
        sample.retransmitted_bytes =
            sample.retransmitted_bytes.value_or(0) + *moved.retransmitted_bytes;
      }
      contradict(FindContradiction(end->facts().device, moved, ledger.expected, sample.cell.size));
    }
    ledger.last = *reading;
    ledger.expected = {};
  }
  contradict(FindAboveCeiling(Bytes{sample.payload_bytes},
                              Bytes{sample.cell.size.count * sample.cell.depth}, sample.duration,
                              sample.line_rate));
  if (!unreadable.empty()) {
    sample.counter_bytes.reset();
    sample.retransmitted_bytes.reset();
    if (sample.status == SampleStatus::kOk) sample.status = SampleStatus::kNoCounters;
    Remark(&sample, "not held against the devices' counters: " + unreadable);
  }
  if (IsMeasured(sample.status) && sample.cpu_bound == true) {
    Remark(&sample, fmt::format("cpu_bound: the measuring thread, not the path, was the limit "
                                "(idle {:.1f} % of the window)",
                                100 * *sample.idle_fraction));
  }
  return std::move(sample);
}

Result<TransferEnd*> Engine::NicEnd(const PciAddress& nic) {
  const Nic* const found = machine().FindNic(nic);
  if (found == nullptr) return Fail(MakeError("open NIC", nic.ToString(), "there is none"));
  return local_->EndOf(*found);
}

Result<TransferEnd*> Engine::PartnerEnd(const PciAddress& partner) {
  return peer_ != nullptr ? peer_->EndOf(partner, local_->options()) : NicEnd(partner);
}

std::string Engine::ReasonOf(const Error& error) const {
  if (peer_ != nullptr && peer_->gone()) return "the peer is gone: " + peer_->why_gone();
  return error.ToString();
}

}  // namespace railgauge
