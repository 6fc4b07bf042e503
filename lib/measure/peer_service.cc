#include "lib/measure/peer_service.h"

#include <utility>
#include <variant>

#include "fmt/core.h"
#include "lib/measure/busy.h"
#include "lib/measure/roles.h"
#include "lib/measure/shape.h"

namespace railgauge {
namespace {

// More than any sane window; what is longer would keep others waiting.
constexpr Nanoseconds kLongestWindow = std::chrono::minutes{1};
constexpr uint32_t kMostQueuePairs = 64;
constexpr uint32_t kDeepest = 1 << 16;

Error Refused(std::string object, std::string reason) {
  return MakeError("serve peer", std::move(object), std::move(reason));
}

bool InRange(Nanoseconds time) { return time >= Nanoseconds{0} && time <= kLongestWindow; }

}  // namespace

std::string PeerService::Answer(std::string_view request) {
  const auto decoded = DecodeRequest(request);
  if (!decoded) return Encode(FailureOf(decoded.error()));
  return std::visit(
      [this](const auto& any) {
        const auto answer = Do(any);
        return answer ? Encode(*answer) : Encode(FailureOf(answer.error()));
      },
      *decoded);
}

Result<Description> PeerService::Do(const DescribeRequest&) {
  Description description;
  for (const Nic& nic : machine_.nics) {
    description.nics.push_back(
        {nic.position.address, nic.name, nic.position.numa_node, PartnerPlace(machine_, nic)});
  }
  return description;
}

Result<Opened> PeerService::Do(const OpenRequest& request) {
  RAILGAUGE_RETURN_IF_ERROR(NicOf(request.nic));
  if (side_ == nullptr) {
    if (request.queue_pairs == 0 || request.queue_pairs > kMostQueuePairs ||
        request.max_depth < request.queue_pairs || request.max_depth > kDeepest) {
      return Fail(Refused("", fmt::format("{} queue pairs of a depth of {} in all is out of range",
                                          request.queue_pairs, request.max_depth)));
    }
    LocalOptions options;
    options.queue_pairs = request.queue_pairs;
    options.max_depth = request.max_depth;
    RAILGAUGE_ASSIGN_OR_RETURN(side_, LocalSide::Create(machine_, cuda_, options));
    side_->CancelBy(&gone_);
  }
  RAILGAUGE_ASSIGN_OR_RETURN(const TransferEnd* const end, EndOf(request.nic));
  const EndFacts& facts = end->facts();
  const EndQueues& queues = end->queues();
  Opened opened{facts.device,         facts.rdma_read, facts.rdma_write,
                facts.max_rdma_bytes, facts.max_depth, queues.gid,
                queues.numbers,       queues.key,      std::nullopt};
  if (facts.line_rate) opened.line_rate = facts.line_rate->value;
  return opened;
}

Result<Registered> PeerService::Do(const RegisterRequest& request) {
  RAILGAUGE_ASSIGN_OR_RETURN(TransferEnd* const end, EndOf(request.nic));
  RAILGAUGE_ASSIGN_OR_RETURN(const EndPlace place, PlaceOf(request.place));
  RAILGAUGE_ASSIGN_OR_RETURN(const EndMemory memory, end->Register(place));
  return Registered{memory.address, memory.length, memory.remote_key, memory.way};
}

Result<Done> PeerService::Do(const MeetRequest& request) {
  RAILGAUGE_ASSIGN_OR_RETURN(TransferEnd* const end, EndOf(request.nic));
  RAILGAUGE_RETURN_IF_ERROR(end->Meet(request.gid));
  return Done{};
}

Result<Done> PeerService::Do(const FillRequest& request) {
  RAILGAUGE_RETURN_IF_ERROR(CheckRange(request.place, request.offset, request.length));
  RAILGAUGE_ASSIGN_OR_RETURN(Buffer* const buffer,
                             side_->memory().Get(request.place, MemoryRole::kPartner));
  RAILGAUGE_RETURN_IF_ERROR(buffer->Fill(request.seed, request.offset, request.length, 0));
  return Done{};
}

Result<Verified> PeerService::Do(const VerifyRequest& request) {
  RAILGAUGE_RETURN_IF_ERROR(CheckRange(request.place, request.offset, request.length));
  RAILGAUGE_ASSIGN_OR_RETURN(Buffer* const buffer,
                             side_->memory().Get(request.place, MemoryRole::kPartner));
  RAILGAUGE_ASSIGN_OR_RETURN(const auto mismatch,
                             buffer->Verify(request.seed, request.offset, request.length, 0));
  return Verified{mismatch ? std::optional(mismatch->ToString()) : std::nullopt};
}

Result<Ran> PeerService::Do(const RunRequest& request) {
  RAILGAUGE_ASSIGN_OR_RETURN(TransferEnd* const end, EndOf(request.nic));
  RAILGAUGE_ASSIGN_OR_RETURN(const EndPlace place, PlaceOf(request.place));
  RAILGAUGE_ASSIGN_OR_RETURN(const EndMemory local, end->Register(place));
  const uint64_t bytes = request.message_bytes;
  const bool fits = bytes > 0 && bytes <= local.length && bytes <= request.remote_length;
  const bool queues = request.depth > 0 && request.depth <= end->facts().max_depth &&
                      request.queue_pairs.size() >= side_->options().queue_pairs;
  const bool times =
      !request.latency || (request.operation == Operation::kRead && request.depth == 1);
  if (!fits || !queues || !times || !end->facts().Can(request.operation) ||
      !InRange(request.warm_up) || !InRange(request.window) || !InRange(request.interval) ||
      !InRange(request.stall_deadline)) {
    return Fail(Refused(end->facts().device, "a window is asked for that it cannot run"));
  }
  RunOrder order;
  order.operation = request.operation;
  order.local = place;
  order.target = {request.gid, request.queue_pairs, request.queue_key};
  order.remote.address = request.remote_address;
  order.remote.length = request.remote_length;
  order.remote.remote_key = request.remote_key;
  order.message_bytes = request.message_bytes;
  order.depth = request.depth;
  order.timing = {request.warm_up, request.window};
  order.interval = request.interval;
  order.min_completions = request.min_completions;
  order.max_requests = request.max_requests;
  order.first_slot = request.first_slot;
  order.stall_deadline = request.stall_deadline;
  order.latency = request.latency;
  order.between_hosts = true;
  const RunOutcome outcome = end->Run(order);
  Ran ran;
  ran.duration = outcome.duration;
  ran.posting = outcome.posting;
  ran.polling = outcome.polling;
  ran.idle = outcome.idle;
  ran.interval = outcome.interval;
  for (const IntervalCount& interval : outcome.intervals) {
    ran.interval_times.push_back(interval.duration);
    ran.interval_counts.push_back(interval.completions);
  }
  ran.completions = outcome.completions;
  ran.posted = outcome.posted;
  ran.cpu_wait = outcome.cpu_wait;
  if (const std::optional<LatencySummary>& of = outcome.latency) {
    ran.latency = {of->count, of->min, of->p50, of->p90, of->p99, of->p99_9, of->max};
  }
  if (outcome.failure) ran.failure = FailureOf(*outcome.failure);
  return ran;
}

Result<Answering> PeerService::Do(const AnswerRequest& request) {
  RAILGAUGE_ASSIGN_OR_RETURN(TransferEnd* const end, EndOf(request.nic));
  RAILGAUGE_ASSIGN_OR_RETURN(const EndPlace place, PlaceOf(request.place));
  RAILGAUGE_ASSIGN_OR_RETURN(const EndMemory local, end->Register(place));
  const uint64_t bytes = request.message_bytes;
  if (answers_ || bytes == 0 || bytes > local.length || bytes > request.remote_length ||
      !end->facts().Can(Operation::kWrite)) {
    return Fail(Refused(end->facts().device, "answers are asked for that it cannot give"));
  }
  AnswerOrder order;
  order.local = place;
  order.asker.gid = request.gid;
  order.asker.key = request.queue_key;
  order.remote.address = request.remote_address;
  order.remote.length = request.remote_length;
  order.remote.remote_key = request.remote_key;
  order.message_bytes = request.message_bytes;
  RAILGAUGE_ASSIGN_OR_RETURN(const EndQueues queues, end->StartAnswering(order));
  answers_ = request.nic;
  return Answering{queues.numbers.front()};
}

Result<Answered> PeerService::Do(const AnswerEndRequest& request) {
  if (answers_ != request.nic) return Fail(Refused(request.nic.ToString(), "it answers nothing"));
  answers_.reset();
  RAILGAUGE_ASSIGN_OR_RETURN(TransferEnd* const end, EndOf(request.nic));
  const AnswerOutcome outcome = end->StopAnswering();
  Answered answered{outcome.posted, outcome.cpu_wait, std::nullopt};
  if (outcome.failure) answered.failure = FailureOf(*outcome.failure);
  return answered;
}

Result<BusyAnswer> PeerService::Do(const BusyRequest& request) {
  std::vector<NicKey> nics;
  for (const PciAddress& address : request.nics) {
    RAILGAUGE_ASSIGN_OR_RETURN(const Nic* const nic, NicOf(address));
    nics.push_back(nic->key());
  }
  BusyAnswer answer;
  for (const BusyNic& busy : FindBusyNics(nics)) answer.nics.push_back(busy.ToString());
  return answer;
}

Result<CounterReading> PeerService::Do(const CountersRequest& request) {
  RAILGAUGE_ASSIGN_OR_RETURN(TransferEnd* const end, EndOf(request.nic));
  RAILGAUGE_ASSIGN_OR_RETURN(const DeviceCounters counters, end->ReadCounters());
  const RdmaBytes& rdma = counters.rdma;
  return CounterReading{rdma.rdma_read_bytes,         rdma.rdma_read_resp_bytes,
                        rdma.rdma_write_bytes,        rdma.rdma_write_recv_bytes,
                        counters.send_bytes,          counters.recv_bytes,
                        counters.retransmitted_bytes, counters.retransmission_timeouts};
}

Result<TransferEnd*> PeerService::EndOf(const PciAddress& nic) {
  RAILGAUGE_ASSIGN_OR_RETURN(const Nic* const found, NicOf(nic));
  if (side_ == nullptr) return Fail(Refused(nic.ToString(), "it was not opened"));
  return side_->EndOf(*found);
}

Result<const Nic*> PeerService::NicOf(const PciAddress& nic) const {
  const Nic* const found = machine_.FindNic(nic);
  if (found != nullptr) return found;
  return Fail(Refused(nic.ToString(), "this machine has no such EFA NIC"));
}

Result<EndPlace> PeerService::PlaceOf(const MemoryPlace& place) const {
  const NumaNode* const node = place.is_gpu() ? nullptr : machine_.FindNumaNode(place.numa_node);
  if (node == nullptr || node->memory.count == 0) {
    return Fail(Refused(place.ToString(), "this machine has no such memory to measure with"));
  }
  return EndPlace{place, MemoryRole::kPartner};
}

Status PeerService::CheckRange(const MemoryPlace& place, uint64_t offset, uint64_t length) {
  RAILGAUGE_ASSIGN_OR_RETURN([[maybe_unused]] const EndPlace there, PlaceOf(place));
  const uint64_t size = side_ == nullptr ? 0 : side_->memory().SizeFor(place).count;
  if (offset <= size && length <= size - offset) return {};
  return Fail(Refused(place.ToString(),
                      fmt::format("{} bytes from {} are outside of its {}", length, offset, size)));
}

}  // namespace railgauge
