#include "lib/measure/engine.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "fmt/core.h"
#include "lib/measure/counters.h"
#include "lib/measure/cpu_wait.h"
#include "lib/measure/roles.h"
#include "lib/topology/relation.h"
#include "lib/verbs/srd_queue_pair.h"

namespace railgauge {
namespace {

void End(Sample* sample, SampleStatus status, std::string reason) {
  sample->status = status;
  sample->reason = std::move(reason);
}

// Adds a remark to a sample whose status stays what it is.
void Remark(Sample* sample, const std::string& remark) {
  if (!sample->reason.empty()) sample->reason += "; ";
  sample->reason += remark;
}

void SetRates(const LoopResult& result, Sample* sample) {
  sample->duration = result.window_end - result.window_start;
  sample->completions = result.window_completions;
  sample->payload_bytes = result.window_completions * sample->cell.size.count;
  const double seconds = std::chrono::duration<double>(sample->duration).count();
  if (seconds <= 0) return;
  sample->throughput = BytesPerSecond{static_cast<double>(sample->payload_bytes) / seconds};
  sample->messages_per_second = static_cast<double>(sample->completions) / seconds;
  sample->post_fraction = std::chrono::duration<double>(result.window_posting).count() / seconds;
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::Create(Machine machine, CudaDriver cuda,
                                               const EngineOptions& options) {
  RAILGAUGE_ASSIGN_OR_RETURN(DeviceList devices, DeviceList::Get());
  return std::unique_ptr<Engine>(
      new Engine(std::move(machine), std::move(cuda), std::move(devices), options));
}

Engine::Engine(Machine machine, CudaDriver cuda, DeviceList devices, const EngineOptions& options)
    : machine_(std::move(machine)),
      devices_(std::move(devices)),
      options_(options),
      memory_(std::move(cuda), options.working_set) {}

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
    if (waiting && waiting->initiator != nullptr) {
      const PciAddress& nic = window.cell.nic.address;
      const bool known = machine_.FindNic(nic) != nullptr;
      const PciAddress partner = known ? PartnerOf(machine_, nic, window.cell.place) : nic;
      for (const Endpoint* busy : {waiting->initiator, waiting->target}) {
        const PciAddress& address = busy->nic().position.address;
        if (address == nic || address == partner) {
          settle();
          break;
        }
      }
    }
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

Engine::Pending Engine::Start(const Cell& cell, const WindowRequest& request) {
  Pending pending;
  Sample& sample = pending.sample;
  sample.cell = cell;
  if (sample.cell.depth == 0 && cell.size.count > 0) sample.cell.depth = DefaultDepth(cell.size);
  sample.round = request.round;
  sample.status = SampleStatus::kOk;
  sample.start_offset = MeasuringClock::now() - options_.run_start;
  Describe(&sample);
  if (sample.status != SampleStatus::kOk) return pending;
  std::optional<Transfer> transfer = Prepare(&sample);
  if (!transfer) return pending;

  pending.no_baseline = EnsureBaseline(transfer->initiator);
  if (transfer->target != transfer->initiator) {
    const std::string reason = EnsureBaseline(transfer->target);
    if (pending.no_baseline.empty()) pending.no_baseline = reason;
  }
  PinNear(*transfer->initiator);
  Run(&*transfer, request, &sample);
  // After a failure it is not known what the devices moved.
  if (sample.status == SampleStatus::kFailed) return pending;
  pending.initiator = transfer->initiator;
  pending.target = transfer->target;
  return pending;
}

void Engine::Describe(Sample* sample) {
  const Cell& cell = sample->cell;
  const Nic* nic = machine_.FindNic(cell.nic.address);
  if (nic == nullptr) {
    return End(sample, SampleStatus::kSkipped,
               fmt::format("this machine has no EFA device at {}", cell.nic.address.ToString()));
  }
  const Nic* partner = machine_.FindNic(PartnerOf(machine_, cell.nic.address, cell.place));
  sample->partner = partner->key();
  const std::optional<MemoryPlace> partner_place = PartnerPlace(machine_, *partner);
  if (!partner_place) {
    return End(sample, SampleStatus::kSkipped, "this machine shows no NUMA node with memory");
  }
  sample->partner_place = *partner_place;
  if (cell.place.is_gpu()) {
    if (machine_.FindGpu(cell.place.gpu) == nullptr) {
      End(sample, SampleStatus::kSkipped,
          fmt::format("this machine has no GPU at {}", cell.place.gpu.ToString()));
    } else if (memory_.cuda().FindGpu(cell.place.gpu) == nullptr) {
      const std::string& why = memory_.cuda().absence_reason();
      End(sample, SampleStatus::kSkipped,
          fmt::format("CUDA does not show the GPU at {}{}{}", cell.place.gpu.ToString(),
                      why.empty() ? "" : ": ", why));
    }
  } else {
    const NumaNode* node = machine_.FindNumaNode(cell.place.numa_node);
    if (node == nullptr || node->memory.count == 0) {
      End(sample, SampleStatus::kSkipped,
          fmt::format("this machine has no memory on NUMA node {}", cell.place.numa_node));
    }
  }
}

std::optional<Engine::Transfer> Engine::Prepare(Sample* sample) {
  const Cell& cell = sample->cell;
  Transfer transfer;
  const auto nic = EndpointOf(*machine_.FindNic(cell.nic.address));
  const auto partner = EndpointOf(*machine_.FindNic(sample->partner.address));
  if (!nic || !partner) {
    End(sample, SampleStatus::kFailed, (!nic ? nic.error() : partner.error()).ToString());
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
    End(sample, SampleStatus::kFailed, connected.error().ToString());
    GiveUpIfLost(transfer, sample);
    return std::nullopt;
  }
  return transfer;
}

// What the devices or the working set cannot do; empty when they can.
std::optional<std::string> Engine::WhyNot(const Transfer& transfer, const Sample& sample) const {
  const Cell& cell = sample.cell;
  for (const Endpoint* endpoint : {transfer.nic, transfer.partner}) {
    if (endpoint->Can(cell.operation)) continue;
    return fmt::format("{} has no RDMA {}", endpoint->attributes().name, ToString(cell.operation));
  }
  const DeviceAttributes& initiator = transfer.initiator->attributes();
  if (cell.size.count == 0 || cell.size.count > initiator.max_rdma_bytes) {
    return fmt::format("{} takes RDMA messages from 1 to {} bytes, not {}", initiator.name,
                       initiator.max_rdma_bytes, cell.size.count);
  }
  if (cell.size > memory_.SizeFor(cell.place) ||
      cell.size > memory_.SizeFor(sample.partner_place)) {
    return fmt::format("a message of {} is larger than the working set", FormatBytes(cell.size));
  }
  if (cell.depth > transfer.initiator->max_depth()) {
    return fmt::format("a depth of {} is more than the {} of {}", cell.depth,
                       transfer.initiator->max_depth(), initiator.name);
  }
  return std::nullopt;
}

// Gives the transfer its memory and address handles, and sets up its loop.
Status Engine::Connect(Transfer* transfer, Sample* sample) {
  const Cell& cell = sample->cell;
  RAILGAUGE_ASSIGN_OR_RETURN(Buffer* const place_buffer,
                             memory_.Get(cell.place, MemoryRole::kUnderTest));
  RAILGAUGE_ASSIGN_OR_RETURN(Buffer* const partner_buffer,
                             memory_.Get(sample->partner_place, MemoryRole::kPartner));
  const bool to_place = DataGoesToPlace(cell.direction);
  transfer->source = to_place ? partner_buffer : place_buffer;
  transfer->sink = to_place ? place_buffer : partner_buffer;

  RAILGAUGE_ASSIGN_OR_RETURN(const Endpoint::Region* const place,
                             transfer->nic->RegionOf(*place_buffer));
  RAILGAUGE_ASSIGN_OR_RETURN(const Endpoint::Region* const partner,
                             transfer->partner->RegionOf(*partner_buffer));
  sample->way = place->way;
  if (const auto field = AttributingField(cell.operation, cell.direction)) {
    sample->interconnect_id = place->ids.Get(*field);
  }

  LoopSetup& setup = transfer->setup;
  RAILGAUGE_ASSIGN_OR_RETURN(setup.target, transfer->initiator->HandleOf(*transfer->target));
  // The target must know the initiator too, or it refuses RDMA from it.
  RAILGAUGE_ASSIGN_OR_RETURN([[maybe_unused]] ibv_ah* const known,
                             transfer->target->HandleOf(*transfer->initiator));
  setup.queue_pairs = transfer->initiator->queue_pairs();
  setup.cq = transfer->initiator->completion_queue();
  setup.device = transfer->initiator->device();
  setup.target_numbers = transfer->target->queue_pair_numbers();
  setup.target_queue_key = SrdQueuePair::kQueueKey;
  const bool nic_initiates = NicInitiates(cell.operation, cell.direction);
  const MemoryRegion& local = (nic_initiates ? place : partner)->region;
  const MemoryRegion& remote = (nic_initiates ? partner : place)->region;
  setup.local = {local.address(), local.lkey(), SlotsFor(cell.size, Bytes{local.length()})};
  setup.remote = {remote.address(), remote.rkey(), SlotsFor(cell.size, Bytes{remote.length()})};
  setup.message_size = static_cast<uint32_t>(cell.size.count);
  setup.shape = ShapeFor(cell.depth, options_.queue_pairs);
  setup.stall_deadline = options_.stall_deadline;
  return {};
}

void Engine::Run(Transfer* transfer, const WindowRequest& request, Sample* sample) {
  if (!VerifyMessage(transfer, 0, sample)) return;
  LoopSetup setup = transfer->setup;
  setup.warm_up = request.timing.warm_up;
  setup.window = request.timing.window;
  setup.min_completions = request.min_completions;
  std::optional<Nanoseconds> disturbed;
  for (uint32_t retake = 0;; ++retake) {
    const auto waited_before = CpuWaitOfThread();
    if (!TakeWindow(*transfer, setup, sample)) return;
    const auto waited_after = CpuWaitOfThread();
    if (!waited_before || !waited_after) break;
    const Nanoseconds waited = *waited_after - *waited_before;
    disturbed.reset();
    if (waited <= TolerableCpuWait(Bytes{sample->cell.size.count * sample->cell.depth},
                                   sample->throughput.value_or(BytesPerSecond{}),
                                   sample->duration)) {
      break;
    }
    disturbed = waited;
    if (retake == options_.retakes || retakes_left_ == 0) break;
    if (retakes_left_) --*retakes_left_;
  }
  if (disturbed) {
    Remark(sample, fmt::format("disturbed: the measuring thread waited {} for its CPU",
                               FormatDuration(*disturbed)));
  }
  const uint64_t last_slot = std::min(setup.local.slots.count, setup.remote.slots.count) - 1;
  VerifyMessage(transfer, last_slot, sample);
}

// Runs the loop once. Returns whether it went well.
bool Engine::TakeWindow(const Transfer& transfer, const LoopSetup& setup, Sample* sample) {
  const LoopResult result = RunLoop(sample->cell.operation, setup);
  if (!Account(transfer, result, sample)) return false;
  SetRates(result, sample);
  sample->start_offset = result.window_start - options_.run_start;
  return true;
}

// One message on its own, compared byte by byte. Returns whether to go on.
bool Engine::VerifyMessage(Transfer* transfer, uint64_t slot, Sample* sample) {
  LoopSetup setup = transfer->setup;
  setup.shape = ShapeFor(1, 1);
  setup.max_requests = 1;
  setup.first_slot = slot;
  const uint64_t offset = slot * setup.local.slots.stride;
  const uint64_t size = sample->cell.size.count;
  const uint64_t seed = next_seed_;
  next_seed_ += 2;
  Status filled = transfer->source->Fill(seed, offset, size, 0);
  // So that what an earlier message left is not taken for this one.
  if (filled) filled = transfer->sink->Fill(seed + 1, offset, size, 0);
  if (!filled) {
    End(sample, SampleStatus::kFailed, filled.error().ToString());
    return false;
  }
  const LoopResult result = RunLoop(sample->cell.operation, setup);
  if (!Account(*transfer, result, sample)) return false;
  const auto mismatch = transfer->sink->Verify(seed, offset, size, 0);
  if (!mismatch) {
    End(sample, SampleStatus::kFailed, mismatch.error().ToString());
    return false;
  }
  if (*mismatch) {
    End(sample, SampleStatus::kInvalid,
        fmt::format("the data that arrived differs from what was sent: {}",
                    (*mismatch)->ToString()));
    return false;
  }
  return true;
}

// Books what a loop moved. Returns whether it went well; else the sample has failed.
bool Engine::Account(const Transfer& transfer, const LoopResult& result, Sample* sample) {
  const Operation operation = sample->cell.operation;
  const uint64_t bytes = result.posted * sample->cell.size.count;
  const auto now = MeasuringClock::now();
  sample->posted_bytes = sample->posted_bytes.value_or(0) + bytes;
  transfer.initiator->ledger().expected.AddInitiated(operation, bytes);
  transfer.target->ledger().expected.AddServed(operation, bytes);
  transfer.initiator->ledger().quiet_since = now;
  transfer.target->ledger().quiet_since = now;
  const std::string& device = transfer.initiator->attributes().name;
  const std::optional<Error> error = LoopError(result, operation, device, transfer.setup);
  if (!error) return true;

  End(sample, SampleStatus::kFailed, error->ToString());
  for (Endpoint* endpoint : {transfer.initiator, transfer.target}) {
    endpoint->ledger() = {};
  }
  if (result.failure == LoopResult::Failure::kDeviceLost ||
      result.failure == LoopResult::Failure::kStalled) {
    // A NIC that completes nothing for the whole deadline gets no other chance: each would cost as
    // much again, and a run of many cells would never end.
    GiveUp(transfer.initiator, *error);
    return false;
  }
  if (result.in_flight > 0) {
    if (const Status renewed = transfer.initiator->RenewQueues(); !renewed) {
      GiveUp(transfer.initiator, renewed.error());
      return false;
    }
  }
  GiveUpIfLost(transfer, sample);
  return false;
}

void Engine::GiveUp(Endpoint* endpoint, const Error& reason) {
  WarnOnce(fmt::format("{} is given up: {}", endpoint->attributes().name, reason.ToString()));
  const PciAddress address = endpoint->nic().position.address;
  endpoints_.insert_or_assign(address, Fail(reason));
}

void Engine::GiveUpIfLost(const Transfer& transfer, Sample* sample) {
  std::vector<Endpoint*> devices = {transfer.initiator};
  if (transfer.target != transfer.initiator) devices.push_back(transfer.target);
  for (Endpoint* endpoint : devices) {
    if (!endpoint->IsLost()) continue;
    const Error error = DeviceLostError(fmt::format("rdma {}", ToString(sample->cell.operation)),
                                        endpoint->attributes().name);
    End(sample, SampleStatus::kFailed, error.ToString());
    GiveUp(endpoint, error);
  }
}

std::string Engine::EnsureBaseline(Endpoint* endpoint) {
  Endpoint::CounterLedger& ledger = endpoint->ledger();
  if (ledger.last) return "";
  std::this_thread::sleep_until(ledger.quiet_since + kCounterCacheLife);
  const auto reading = ReadRdmaBytes(endpoint->attributes().name);
  if (!reading) return reading.error().ToString();
  ledger.last = *reading;
  ledger.expected = {};
  return "";
}

Sample Engine::Settle(Pending pending) {
  Sample& sample = pending.sample;
  if (pending.initiator == nullptr) return std::move(sample);
  std::string unreadable = pending.no_baseline;
  std::vector<Endpoint*> devices = {pending.initiator};
  if (pending.target != pending.initiator) devices.push_back(pending.target);
  for (Endpoint* endpoint : devices) {
    Endpoint::CounterLedger& ledger = endpoint->ledger();
    const std::string& device = endpoint->attributes().name;
    std::this_thread::sleep_until(ledger.quiet_since + kCounterCacheLife);
    const auto reading = ReadRdmaBytes(device);
    if (!reading) {
      if (unreadable.empty()) unreadable = reading.error().ToString();
      ledger.last.reset();
      continue;
    }
    if (ledger.last && unreadable.empty()) {
      const RdmaBytes moved = *reading - *ledger.last;
      if (endpoint == pending.initiator) {
        sample.counter_bytes = moved.Initiated(sample.cell.operation);
      }
      const auto contradiction = Contradiction(device, moved, ledger.expected);
      if (contradiction && sample.status == SampleStatus::kOk) {
        End(&sample, SampleStatus::kInvalid, *contradiction);
      }
    }
    ledger.last = *reading;
    ledger.expected = {};
  }
  if (!unreadable.empty()) {
    sample.counter_bytes.reset();
    Remark(&sample, "not held against the devices' counters: " + unreadable);
  }
  return std::move(sample);
}

Result<Endpoint*> Engine::EndpointOf(const Nic& nic) {
  const PciAddress& address = nic.position.address;
  auto it = endpoints_.find(address);
  if (it == endpoints_.end()) {
    it = endpoints_
             .emplace(address,
                      Endpoint::Open(devices_, nic, options_.queue_pairs, options_.max_depth))
             .first;
  }
  if (!it->second) return Fail(it->second.error());
  return it->second->get();
}

void Engine::PinNear(const Endpoint& endpoint) {
  const PciPosition& position = endpoint.nic().position;
  if (pinned_near_ == position.address) return;
  pinned_near_ = position.address;
  const NumaNode* node = position.numa_node ? machine_.FindNumaNode(*position.numa_node) : nullptr;
  if (node == nullptr || node->cpus.empty()) {
    return WarnOnce(fmt::format("no CPU is known to be near {}: its measuring thread runs anywhere",
                                endpoint.attributes().name));
  }
  if (const Status pinned = affinity_.PinTo(node->cpus); !pinned) {
    WarnOnce(fmt::format("the measuring thread cannot run on NUMA node {}: {}", node->os_index,
                         pinned.error().ToString()));
  }
}

void Engine::WarnOnce(const std::string& warning) {
  if (std::find(warnings_.begin(), warnings_.end(), warning) == warnings_.end()) {
    warnings_.push_back(warning);
  }
}

}  // namespace railgauge
