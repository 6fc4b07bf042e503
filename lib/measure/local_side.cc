#include "lib/measure/local_side.h"

#include <algorithm>
#include <utility>

#include "fmt/core.h"
#include "lib/measure/answering_thread.h"
#include "lib/measure/cpu_wait.h"
#include "lib/measure/group_run.h"
#include "lib/measure/line_rate.h"
#include "lib/verbs/srd_queue_pair.h"

namespace railgauge {
namespace {

constexpr char kBetweenHosts[] =
    "Between hosts, the security group must allow all traffic from and to itself, both ways";

}  // namespace

class LocalSide::End : public TransferEnd {
 public:
  End(LocalSide* side, std::unique_ptr<Endpoint> endpoint)
      : side_(side), endpoint_(std::move(endpoint)) {
    const DeviceAttributes& device = endpoint_->attributes();
    facts_ = {device.name,
              device.rdma_read,
              device.rdma_write,
              device.max_rdma_bytes,
              endpoint_->max_depth(),
              LineRate(side->machine_.instance_type, device.port_rate_gb_per_second)};
    NoteQueues();
  }

  const EndFacts& facts() const override { return facts_; }
  const EndQueues& queues() const override { return queues_; }

  Result<EndMemory> Register(const EndPlace& place) override {
    RAILGAUGE_ASSIGN_OR_RETURN(const Endpoint::Region* const region, RegionAt(place));
    const MemoryRegion& memory = region->region;
    return EndMemory{memory.address(), memory.length(), memory.rkey(), region->way, region->ids};
  }

  Status Meet(const Gid& gid) override {
    RAILGAUGE_ASSIGN_OR_RETURN([[maybe_unused]] ibv_ah* const handle, endpoint_->HandleOf(gid));
    return {};
  }

  Status Fill(const EndPlace& place, uint64_t seed, uint64_t offset, uint64_t length) override {
    RAILGAUGE_ASSIGN_OR_RETURN(Buffer* const buffer, side_->memory_.Get(place.place, place.role));
    return buffer->Fill(seed, offset, length, 0);
  }

  Result<std::optional<std::string>> Verify(const EndPlace& place, uint64_t seed, uint64_t offset,
                                            uint64_t length) override {
    RAILGAUGE_ASSIGN_OR_RETURN(Buffer* const buffer, side_->memory_.Get(place.place, place.role));
    RAILGAUGE_ASSIGN_OR_RETURN(const auto mismatch, buffer->Verify(seed, offset, length, 0));
    return mismatch ? std::optional(mismatch->ToString()) : std::nullopt;
  }

  RunOutcome Run(const RunOrder& order) override {
    LoopSetup setup;
    if (const Status set_up = SetUp(order, &setup); !set_up) return Failed(set_up.error());
    // Of their own, see Endpoint.
    std::optional<Endpoint::ExchangeQueues> exchange;
    ibv_qp_ex* pair = nullptr;
    if (order.latency && order.operation == Operation::kWrite) {
      auto made = endpoint_->MakeExchangeQueues();
      if (!made) return Failed(made.error());
      exchange = *std::move(made);
      pair = exchange->pair.handle();
      setup.queue_pairs = {&pair, 1};
      setup.cq = exchange->queue.handle();
      setup.shape = ShapeFor(order.depth, 1);
    }
    side_->PinNear(endpoint_->nic());
    const auto waited_before = CpuWaitOfThread();
    const LoopResult result = RunLoop(order.operation, setup);
    const auto waited_after = CpuWaitOfThread();
    std::optional<Nanoseconds> cpu_wait;
    if (waited_before && waited_after) cpu_wait = *waited_after - *waited_before;
    return Conclude(order, setup, result, cpu_wait);
  }

  Result<EndQueues> StartAnswering(const AnswerOrder& order) override {
    RAILGAUGE_CHECK(answering_ == nullptr);
    RAILGAUGE_ASSIGN_OR_RETURN(const Endpoint::Region* const region, RegionAt(order.local));
    RAILGAUGE_ASSIGN_OR_RETURN(ibv_ah* const asker, endpoint_->HandleOf(order.asker.gid));
    RAILGAUGE_ASSIGN_OR_RETURN(auto queues, endpoint_->MakeExchangeQueues());
    const Bytes size{order.message_bytes};
    const MemoryRegion& local = region->region;
    AnswerSetup setup;
    setup.asker = asker;
    setup.asker_queue_key = order.asker.key;
    setup.local = {local.address(), local.lkey(), SlotsFor(size, Bytes{local.length()})};
    setup.remote = {order.remote.address, order.remote.remote_key,
                    SlotsFor(size, Bytes{order.remote.length})};
    setup.message_size = order.message_bytes;
    setup.cancelled = side_->cancelled_;
    auto answering = std::make_unique<AnsweringThread>(std::move(queues), setup);
    RAILGAUGE_RETURN_IF_ERROR(answering->Start(side_->CpusNear(endpoint_->nic()), facts_.device));
    EndQueues there = queues_;
    there.numbers = {answering->number()};
    answering_ = std::move(answering);
    return there;
  }

  AnswerOutcome StopAnswering() override {
    RAILGAUGE_CHECK(answering_ != nullptr);
    return std::exchange(answering_, nullptr)->Stop();
  }

  Result<DeviceCounters> ReadCounters() override { return ReadDeviceCounters(facts_.device); }

  std::optional<Error> TakeLoss(Operation operation) override {
    if (!endpoint_->IsLost()) return std::nullopt;
    const Error error = DeviceLostError(fmt::format("rdma {}", ToString(operation)), facts_.device);
    GiveUp(error);
    return error;
  }

  // Set once the end is of no more use.
  const std::optional<Error>& broken() const { return broken_; }

 private:
  friend LocalSide;  // runs several at once

  static RunOutcome Failed(const Error& error) {
    RunOutcome outcome;
    outcome.failure = error;
    return outcome;
  }

  void NoteQueues() {
    const auto numbers = endpoint_->queue_pair_numbers();
    queues_ = {endpoint_->gid(), {numbers.begin(), numbers.end()}, SrdQueuePair::kQueueKey};
  }

  std::vector<IntervalCount> CountsOf(const LoopResult& result) const {
    std::vector<IntervalCount> counts;
    LoopInterval before = {result.window_start, 0};
    for (const LoopInterval& interval : std::span(intervals_).first(result.interval_count)) {
      counts.push_back({interval.end - before.end, interval.completions - before.completions});
      before = interval;
    }
    return counts;
  }

  // After a run that failed. Queues of an exchange are gone with it, and that no answer came is no
  // fault of this NIC.
  void Recover(const RunOrder& order, const LoopResult& result, const Error& error) {
    const bool exchange = order.latency && order.operation == Operation::kWrite;
    if (exchange && result.failure != LoopResult::Failure::kDeviceLost) return;
    // A NIC that completes nothing for the whole deadline gets no other chance: each would cost as
    // much again, and a run of many cells would never end.
    if (result.failure == LoopResult::Failure::kDeviceLost ||
        result.failure == LoopResult::Failure::kStalled) {
      return GiveUp(error);
    }
    if (result.in_flight == 0) return;
    if (const Status renewed = endpoint_->RenewQueues(); !renewed) GiveUp(renewed.error());
    NoteQueues();
  }

  void GiveUp(const Error& reason) {
    if (broken_) return;
    side_->WarnOnce(fmt::format("{} is given up: {}", facts_.device, reason.ToString()));
    broken_ = reason;
  }

  Result<const Endpoint::Region*> RegionAt(const EndPlace& place) {
    RAILGAUGE_ASSIGN_OR_RETURN(Buffer* const buffer, side_->memory_.Get(place.place, place.role));
    return endpoint_->RegionOf(*buffer);
  }

  Status SetUp(const RunOrder& order, LoopSetup* setup) {
    RAILGAUGE_ASSIGN_OR_RETURN(const Endpoint::Region* const region, RegionAt(order.local));
    RAILGAUGE_ASSIGN_OR_RETURN(setup->target, endpoint_->HandleOf(order.target.gid));
    setup->queue_pairs = endpoint_->queue_pairs();
    setup->cq = endpoint_->completion_queue();
    setup->device = endpoint_->device();
    setup->target_numbers = order.target.numbers;
    setup->target_queue_key = order.target.key;
    const MemoryRegion& local = region->region;
    const Bytes size{order.message_bytes};
    setup->local = {local.address(), local.lkey(), SlotsFor(size, Bytes{local.length()})};
    setup->remote = {order.remote.address, order.remote.remote_key,
                     SlotsFor(size, Bytes{order.remote.length})};
    setup->message_size = order.message_bytes;
    setup->shape = ShapeFor(order.depth, side_->options_.queue_pairs);
    setup->first_slot = order.first_slot;
    setup->warm_up = order.timing.warm_up;
    setup->window = order.timing.window;
    setup->interval = order.interval;
    if (order.interval > Nanoseconds{0}) setup->intervals = intervals_;
    if (order.latency) {
      if (!latencies_) latencies_.emplace();
      latencies_->Clear();
      setup->latencies = &*latencies_;
    }
    setup->min_completions = order.min_completions;
    setup->max_requests = order.max_requests;
    setup->stall_deadline = order.stall_deadline;
    setup->cancelled = side_->cancelled_;
    return {};
  }

  RunOutcome Conclude(const RunOrder& order, const LoopSetup& setup, const LoopResult& result,
                      std::optional<Nanoseconds> cpu_wait) {
    RunOutcome outcome;
    outcome.window_start = result.window_start;
    outcome.duration = result.window_end - result.window_start;
    outcome.posting = result.window_posting;
    outcome.polling = result.window_polling;
    outcome.idle = result.window_idle;
    outcome.interval = result.interval;
    outcome.intervals = CountsOf(result);
    if (setup.latencies != nullptr) outcome.latency = setup.latencies->Summary();
    outcome.completions = result.window_completions;
    outcome.posted = result.posted;
    outcome.cpu_wait = cpu_wait;
    outcome.longest_gap = result.longest_gap;
    outcome.failure = LoopError(result, order.operation, facts_.device, setup);
    if (result.failure == LoopResult::Failure::kStalled && order.between_hosts) {
      outcome.failure->advice = kBetweenHosts;
    }
    if (outcome.failure) Recover(order, result, *outcome.failure);
    return outcome;
  }

  LocalSide* side_;
  std::unique_ptr<Endpoint> endpoint_;
  EndFacts facts_;
  EndQueues queues_;
  std::optional<Error> broken_;
  std::optional<LatencyHistogram> latencies_;
  std::unique_ptr<AnsweringThread> answering_;
  std::vector<LoopInterval> intervals_ = std::vector<LoopInterval>(kMostIntervals);
};

Result<std::unique_ptr<LocalSide>> LocalSide::Create(Machine machine, CudaDriver cuda,
                                                     const LocalOptions& options) {
  RAILGAUGE_ASSIGN_OR_RETURN(DeviceList devices, DeviceList::Get());
  return std::unique_ptr<LocalSide>(
      new LocalSide(std::move(machine), std::move(cuda), std::move(devices), options));
}

LocalSide::LocalSide(Machine machine, CudaDriver cuda, DeviceList devices,
                     const LocalOptions& options)
    : machine_(std::move(machine)),
      devices_(std::move(devices)),
      options_(options),
      memory_(std::move(cuda), options.working_set) {}

LocalSide::~LocalSide() = default;

Result<TransferEnd*> LocalSide::EndOf(const Nic& nic) {
  auto it = ends_.find(nic.position.address);
  if (it == ends_.end()) it = ends_.emplace(nic.position.address, Open(nic)).first;
  if (!it->second) return Fail(it->second.error());
  End* const end = it->second->get();
  if (end->broken()) return Fail(*end->broken());
  return end;
}

Result<std::unique_ptr<LocalSide::End>> LocalSide::Open(const Nic& nic) {
  RAILGAUGE_ASSIGN_OR_RETURN(
      auto endpoint, Endpoint::Open(devices_, nic, options_.queue_pairs, options_.max_depth));
  return std::make_unique<End>(this, std::move(endpoint));
}

void LocalSide::PinNear(const Nic& nic) {
  if (pinned_near_ == nic.position.address) return;
  pinned_near_ = nic.position.address;
  const std::vector<uint32_t> cpus = CpusNear(nic);
  if (cpus.empty()) return;
  if (const Status pinned = affinity_.PinTo(cpus); !pinned) WarnNotPinned(nic, pinned.error());
}

std::vector<uint32_t> LocalSide::CpusNear(const Nic& nic) {
  const PciPosition& position = nic.position;
  const NumaNode* node = position.numa_node ? machine_.FindNumaNode(*position.numa_node) : nullptr;
  if (node != nullptr && !node->cpus.empty()) return node->cpus;
  WarnOnce(
      fmt::format("no CPU is known to be near {}: its measuring thread runs anywhere", nic.name));
  return {};
}

void LocalSide::WarnNotPinned(const Nic& nic, const Error& error) {
  WarnOnce(fmt::format("the measuring thread cannot run on NUMA node {}: {}",
                       *nic.position.numa_node, error.ToString()));
}

std::vector<RunOutcome> LocalSide::RunTogether(std::span<const MemberRun> runs) {
  std::vector<RunOutcome> outcomes(runs.size());
  std::vector<GroupLoop> loops;
  std::vector<size_t> ran;  // loops' indexes in `runs`
  for (size_t i = 0; i < runs.size(); ++i) {
    End& end = **ends_.at(runs[i].nic);
    GroupLoop loop;
    loop.operation = runs[i].order.operation;
    if (const Status set_up = end.SetUp(runs[i].order, &loop.setup); !set_up) {
      outcomes[i].failure = set_up.error();
      continue;
    }
    loop.cpus = CpusNear(*machine_.FindNic(runs[i].nic));
    loops.push_back(std::move(loop));
    ran.push_back(i);
  }
  if (loops.empty()) return outcomes;
  const std::vector<GroupLoopResult> results = RunLoopsTogether(loops, runs[0].order.timing);
  for (size_t k = 0; k < results.size(); ++k) {
    const MemberRun& run = runs[ran[k]];
    const GroupLoopResult& result = results[k];
    if (result.not_pinned) WarnNotPinned(*machine_.FindNic(run.nic), *result.not_pinned);
    if (result.not_run) {
      outcomes[ran[k]].failure = result.not_run;
      continue;
    }
    outcomes[ran[k]] =
        (*ends_.at(run.nic))->Conclude(run.order, loops[k].setup, result.loop, result.cpu_wait);
  }
  return outcomes;
}

std::vector<std::string> LocalSide::warnings() const {
  std::vector<std::string> all = warnings_;
  all.insert(all.end(), memory_.remarks().begin(), memory_.remarks().end());
  return all;
}

void LocalSide::WarnOnce(const std::string& warning) {
  if (std::find(warnings_.begin(), warnings_.end(), warning) == warnings_.end()) {
    warnings_.push_back(warning);
  }
}

}  // namespace railgauge
