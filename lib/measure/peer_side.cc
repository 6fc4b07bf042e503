#include "lib/measure/peer_side.h"

#include <algorithm>
#include <set>
#include <utility>

#include "fmt/core.h"

namespace railgauge {
namespace {

using std::chrono::seconds;

// How long an answer may take. Opening and registering go through the kernel, which pins memory
// meanwhile; the others touch a message or a file.
constexpr Nanoseconds kSlowAnswer = seconds{60};
constexpr Nanoseconds kAnswer = seconds{20};

}  // namespace

class PeerSide::End : public TransferEnd {
 public:
  End(Channel* channel, PciAddress nic, OpenRequest open)
      : channel_(channel), nic_(nic), open_(open) {}

  // (Again) what the peer's NIC is: its queues are others after a run that failed.
  Status Refresh() {
    RAILGAUGE_ASSIGN_OR_RETURN(const Opened opened, channel_->Ask<Opened>(open_, kSlowAnswer));
    facts_ = {opened.device + " of " + channel_->peer().host,
              opened.rdma_read,
              opened.rdma_write,
              opened.max_rdma_bytes,
              opened.max_depth,
              std::nullopt};
    if (opened.line_rate) facts_.line_rate = BytesPerSecond{*opened.line_rate};
    queues_ = {opened.gid, opened.queue_pairs, opened.queue_key};
    stale_ = false;
    return {};
  }
  bool stale() const { return stale_; }

  const EndFacts& facts() const override { return facts_; }
  const EndQueues& queues() const override { return queues_; }

  Result<EndMemory> Register(const EndPlace& place) override {
    const auto known = memory_.find(place.place);
    if (known != memory_.end()) return known->second;
    RAILGAUGE_ASSIGN_OR_RETURN(
        const Registered there,
        channel_->Ask<Registered>(RegisterRequest{nic_, place.place}, kSlowAnswer));
    const EndMemory memory = {there.address, there.length, there.remote_key, there.way, {}};
    memory_.emplace(place.place, memory);
    return memory;
  }

  Status Meet(const Gid& gid) override {
    if (met_.contains(gid)) return {};
    RAILGAUGE_ASSIGN_OR_RETURN([[maybe_unused]] const Done done,
                               channel_->Ask<Done>(MeetRequest{nic_, gid}, kAnswer));
    met_.insert(gid);
    return {};
  }

  Status Fill(const EndPlace& place, uint64_t seed, uint64_t offset, uint64_t length) override {
    RAILGAUGE_ASSIGN_OR_RETURN(
        [[maybe_unused]] const Done done,
        channel_->Ask<Done>(FillRequest{place.place, seed, offset, length}, kAnswer));
    return {};
  }

  Result<std::optional<std::string>> Verify(const EndPlace& place, uint64_t seed, uint64_t offset,
                                            uint64_t length) override {
    RAILGAUGE_ASSIGN_OR_RETURN(
        const Verified verified,
        channel_->Ask<Verified>(VerifyRequest{place.place, seed, offset, length}, kAnswer));
    return verified.mismatch;
  }

  RunOutcome Run(const RunOrder& order) override {
    RunOutcome outcome;
    outcome.window_start = MeasuringClock::now() + order.timing.warm_up;
    // The window ends when its completions are there, and a NIC that stops has a deadline there.
    const Nanoseconds timeout =
        std::min<Nanoseconds>(kMaxRun, order.timing.warm_up + order.timing.window) +
        order.stall_deadline + kMaxRun;
    const auto ran = channel_->Ask<Ran>(RequestOf(order), timeout);
    if (!ran) {
      outcome.failure = ran.error();
      return outcome;
    }
    outcome.duration = ran->duration;
    outcome.posting = ran->posting;
    outcome.polling = ran->polling;
    outcome.idle = ran->idle;
    outcome.interval = ran->interval;
    // The peer is of this version; should it err, there are fewer intervals and no crash.
    for (size_t i = 0; i < std::min(ran->interval_times.size(), ran->interval_counts.size()); ++i) {
      outcome.intervals.push_back({ran->interval_times[i], ran->interval_counts[i]});
    }
    outcome.completions = ran->completions;
    outcome.posted = ran->posted;
    outcome.cpu_wait = ran->cpu_wait;
    if (const std::optional<Latency>& of = ran->latency) {
      outcome.latency = {of->count, of->min, of->p50, of->p90, of->p99, of->p99_9, of->max};
    }
    if (ran->failure) {
      outcome.failure = ErrorOf(*ran->failure);
      stale_ = true;
    }
    return outcome;
  }

  Result<EndQueues> StartAnswering(const AnswerOrder& order) override {
    AnswerRequest request;
    request.nic = nic_;
    request.place = order.local.place;
    request.gid = order.asker.gid;
    request.queue_key = order.asker.key;
    request.remote_address = order.remote.address;
    request.remote_length = order.remote.length;
    request.remote_key = order.remote.remote_key;
    request.message_bytes = order.message_bytes;
    RAILGAUGE_ASSIGN_OR_RETURN(const Answering answering,
                               channel_->Ask<Answering>(request, kSlowAnswer));
    EndQueues there = queues_;
    there.numbers = {answering.queue_pair};
    return there;
  }

  AnswerOutcome StopAnswering() override {
    AnswerOutcome outcome;
    const auto answered = channel_->Ask<Answered>(AnswerEndRequest{nic_}, kAnswer);
    if (!answered) {
      outcome.failure = answered.error();
      return outcome;
    }
    outcome.posted = answered->posted;
    outcome.cpu_wait = answered->cpu_wait;
    if (answered->failure) outcome.failure = ErrorOf(*answered->failure);
    return outcome;
  }

  Result<DeviceCounters> ReadCounters() override {
    RAILGAUGE_ASSIGN_OR_RETURN(const CounterReading reading,
                               channel_->Ask<CounterReading>(CountersRequest{nic_}, kAnswer));
    return DeviceCounters{{reading.rdma_read_bytes, reading.rdma_read_resp_bytes,
                           reading.rdma_write_bytes, reading.rdma_write_recv_bytes},
                          reading.send_bytes,
                          reading.recv_bytes,
                          reading.retrans_bytes,
                          reading.retrans_timeout_events};
  }

  std::optional<Error> TakeLoss(Operation) override { return std::nullopt; }

 private:
  // Beyond it the control channel gives a window up.
  static constexpr Nanoseconds kMaxRun = std::chrono::minutes{2};

  RunRequest RequestOf(const RunOrder& order) const {
    RunRequest request;
    request.nic = nic_;
    request.place = order.local.place;
    request.operation = order.operation;
    request.gid = order.target.gid;
    request.queue_pairs = order.target.numbers;
    request.queue_key = order.target.key;
    request.remote_address = order.remote.address;
    request.remote_length = order.remote.length;
    request.remote_key = order.remote.remote_key;
    request.message_bytes = order.message_bytes;
    request.depth = order.depth;
    request.warm_up = order.timing.warm_up;
    request.window = order.timing.window;
    request.interval = order.interval;
    request.min_completions = order.min_completions;
    request.max_requests = order.max_requests;
    request.first_slot = order.first_slot;
    request.stall_deadline = order.stall_deadline;
    request.latency = order.latency;
    return request;
  }

  Channel* channel_;
  PciAddress nic_;
  OpenRequest open_;
  EndFacts facts_;
  EndQueues queues_;
  bool stale_ = false;
  std::map<MemoryPlace, EndMemory> memory_;
  std::set<Gid> met_;
};

Result<std::unique_ptr<PeerSide>> PeerSide::Connect(const HostPort& to, const Token& token,
                                                    const PeerIdentity& self, const Machine& here,
                                                    const LinkTimings& timings) {
  RAILGAUGE_ASSIGN_OR_RETURN(auto channel, Channel::Connect(to, token, self, timings));
  RAILGAUGE_ASSIGN_OR_RETURN(Description description,
                             channel->Ask<Description>(DescribeRequest{}, kAnswer));
  if (description.nics.empty()) {
    return Fail(MakeError("measure with peer", to.ToString(), "it has no EFA NIC"));
  }
  return std::unique_ptr<PeerSide>(
      new PeerSide(std::move(channel), std::move(description.nics), here));
}

PeerSide::PeerSide(std::unique_ptr<Channel> channel, std::vector<PeerNic> nics, Machine here)
    : channel_(std::move(channel)), nics_(std::move(nics)), here_(std::move(here)) {
  for (const Nic& nic : here_.nics) {
    const PeerPartner partner = PeerPartnerOf(here_, nic, nics_);
    if (partner.same_slot) continue;
    const PeerNic& chosen = nics_[partner.index];
    notes_.push_back(fmt::format("{} has no NIC at {}: the partner of {} is {} ({}) there",
                                 identity().host, nic.position.address.ToString(), nic.name,
                                 chosen.address.ToString(), chosen.name));
  }
}

PeerSide::~PeerSide() = default;

const PeerNic& PeerSide::PartnerOf(const Nic& nic) const {
  return nics_[PeerPartnerOf(here_, nic, nics_).index];
}

Result<std::vector<std::string>> PeerSide::BusyNics(std::span<const PciAddress> nics) {
  RAILGAUGE_ASSIGN_OR_RETURN(
      BusyAnswer answer,
      channel_->Ask<BusyAnswer>(BusyRequest{{nics.begin(), nics.end()}}, kAnswer));
  return std::move(answer.nics);
}

Result<TransferEnd*> PeerSide::EndOf(const PciAddress& address, const LocalOptions& options) {
  auto it = ends_.find(address);
  if (it == ends_.end()) {
    auto end = std::make_unique<End>(channel_.get(), address,
                                     OpenRequest{address, options.queue_pairs, options.max_depth});
    const Status opened = end->Refresh();
    it = ends_
             .emplace(address,
                      opened ? Result<std::unique_ptr<End>>(std::move(end)) : Fail(opened.error()))
             .first;
  }
  if (!it->second) return Fail(it->second.error());
  End* const end = it->second->get();
  if (end->stale()) RAILGAUGE_RETURN_IF_ERROR(end->Refresh());
  return end;
}

std::string PeerSide::why_gone() const {
  const auto why = channel_->why_gone();
  return why ? why->ToString() : "";
}

}  // namespace railgauge
