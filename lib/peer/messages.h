// What crosses the control channel: plain records, one struct per message.
//
// The measuring host asks and the serving host answers, one request at a time. The first message
// of either side is its version and who it is; that part never changes, so that any two versions
// can tell each other that they do not fit. Everything after it is of one version.
#ifndef RAILGAUGE_LIB_PEER_MESSAGES_H_
#define RAILGAUGE_LIB_PEER_MESSAGES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/peer/json_record.h"
#include "lib/record/place.h"

namespace railgauge {

// Changes whenever a message does: both hosts run one version of railgauge.
inline constexpr uint32_t kProtocolVersion = 3;

#define RAILGAUGE_MESSAGE(type)                    \
  static constexpr std::string_view kType = #type; \
  template <typename Self, typename Visit>         \
  static void Fields([[maybe_unused]] Self& self, [[maybe_unused]] Visit& visit)

// ---- the beginning ----

// Who speaks; the rows of the other side carry it.
struct PeerIdentity {
  std::string software;  // "railgauge 0.3.0"
  std::string host;
  std::string instance_id;
  std::string instance_type;
  std::string platform;
  RAILGAUGE_MESSAGE(identity) {
    visit("software", self.software);
    visit("host", self.host);
    visit("instance_id", self.instance_id);
    visit("instance_type", self.instance_type);
    visit("platform", self.platform);
  }
  friend bool operator==(const PeerIdentity&, const PeerIdentity&) = default;
};

// The measuring host's first message. `protocol` alone is read of another version's.
struct Hello {
  uint32_t protocol = kProtocolVersion;
  PeerIdentity identity;
  RAILGAUGE_MESSAGE(hello) {
    visit("protocol", self.protocol);
    visit("identity", self.identity);
  }
};

// The serving host's first message: go on…
struct Welcome {
  uint32_t protocol = kProtocolVersion;
  PeerIdentity identity;
  RAILGAUGE_MESSAGE(welcome) {
    visit("protocol", self.protocol);
    visit("identity", self.identity);
  }
};

// …or not: the versions do not fit, or it is busy. The serving host ends the channel after it.
struct Refusal {
  uint32_t protocol = kProtocolVersion;
  std::string reason;
  RAILGAUGE_MESSAGE(refusal) {
    visit("protocol", self.protocol);
    visit("reason", self.reason);
  }
};

// What "hello" holds whatever its version.
struct AnyHello {
  uint32_t protocol = 0;
  static constexpr std::string_view kType = Hello::kType;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("protocol", self.protocol);
  }
};

// ---- answers to any request ----

struct Failure {  // an Error
  std::string operation;
  std::string object;
  std::string reason;
  std::string advice;
  RAILGAUGE_MESSAGE(failure) {
    visit("operation", self.operation);
    visit("object", self.object);
    visit("reason", self.reason);
    visit("advice", self.advice);
  }
};

struct Done {
  RAILGAUGE_MESSAGE(done) {}
};

// ---- requests, each with its answer ----

struct PeerNic {
  PciAddress address;
  std::string name;
  std::optional<uint32_t> numa_node;
  std::optional<MemoryPlace> place;  // the memory that it is measured with; empty: none
  RAILGAUGE_MESSAGE(nic) {
    visit("address", self.address);
    visit("name", self.name);
    visit("numa_node", self.numa_node);
    visit("place", self.place);
  }
  friend bool operator==(const PeerNic&, const PeerNic&) = default;
};
struct DescribeRequest {
  RAILGAUGE_MESSAGE(describe) {}
};
struct Description {
  std::vector<PeerNic> nics;  // ascending PCI address
  RAILGAUGE_MESSAGE(description) { visit("nics", self.nics); }
};

// Opens a NIC, or says again what an open one is.
struct OpenRequest {
  PciAddress nic;
  uint32_t queue_pairs = 0;
  uint32_t max_depth = 0;
  RAILGAUGE_MESSAGE(open) {
    visit("nic", self.nic);
    visit("queue_pairs", self.queue_pairs);
    visit("max_depth", self.max_depth);
  }
};
struct Opened {
  std::string device;
  bool rdma_read = false;
  bool rdma_write = false;
  uint64_t max_rdma_bytes = 0;
  uint32_t max_depth = 0;
  std::array<uint8_t, 16> gid{};
  std::vector<uint32_t> queue_pairs;
  uint32_t queue_key = 0;
  std::optional<double> line_rate;  // bytes per second, where it is known
  RAILGAUGE_MESSAGE(opened) {
    visit("device", self.device);
    visit("rdma_read", self.rdma_read);
    visit("rdma_write", self.rdma_write);
    visit("max_rdma_bytes", self.max_rdma_bytes);
    visit("max_depth", self.max_depth);
    visit("gid", self.gid);
    visit("queue_pairs", self.queue_pairs);
    visit("queue_key", self.queue_key);
    visit("line_rate_bytes_per_second", self.line_rate);
  }
};

// Registers the memory of a place with an open NIC, once.
struct RegisterRequest {
  PciAddress nic;
  MemoryPlace place;
  RAILGAUGE_MESSAGE(register) {
    visit("nic", self.nic);
    visit("place", self.place);
  }
};
struct Registered {
  uint64_t address = 0;
  uint64_t length = 0;
  uint32_t remote_key = 0;
  RegistrationWay way = RegistrationWay::kHost;
  RAILGAUGE_MESSAGE(registered) {
    visit("address", self.address);
    visit("length", self.length);
    visit("remote_key", self.remote_key);
    visit("way", self.way);
  }
};

// Makes the NIC know another one, without which it serves no RDMA to it. Answer: Done.
struct MeetRequest {
  PciAddress nic;
  std::array<uint8_t, 16> gid{};
  RAILGAUGE_MESSAGE(meet) {
    visit("nic", self.nic);
    visit("gid", self.gid);
  }
};

// Fills a part of registered memory with a pattern. Answer: Done.
struct FillRequest {
  MemoryPlace place;
  uint64_t seed = 0;
  uint64_t offset = 0;
  uint64_t length = 0;
  RAILGAUGE_MESSAGE(fill) {
    visit("place", self.place);
    visit("seed", self.seed);
    visit("offset", self.offset);
    visit("length", self.length);
  }
};

// Compares it with that pattern.
struct VerifyRequest {
  MemoryPlace place;
  uint64_t seed = 0;
  uint64_t offset = 0;
  uint64_t length = 0;
  RAILGAUGE_MESSAGE(verify) {
    visit("place", self.place);
    visit("seed", self.seed);
    visit("offset", self.offset);
    visit("length", self.length);
  }
};
struct Verified {
  std::optional<std::string> mismatch;  // in words; empty: all as it should be
  RAILGAUGE_MESSAGE(verified) { visit("mismatch", self.mismatch); }
};

// Of single messages, in nanoseconds.
struct Latency {
  uint64_t count = 0;
  Nanoseconds min{0};
  Nanoseconds p50{0};
  Nanoseconds p90{0};
  Nanoseconds p99{0};
  Nanoseconds p99_9{0};
  Nanoseconds max{0};
  RAILGAUGE_MESSAGE(latency) {
    visit("count", self.count);
    visit("min_ns", self.min);
    visit("p50_ns", self.p50);
    visit("p90_ns", self.p90);
    visit("p99_ns", self.p99);
    visit("p99_9_ns", self.p99_9);
    visit("max_ns", self.max);
  }
};

// The peer posts: a window, or single messages. It ends early when the asking side is gone.
struct RunRequest {
  PciAddress nic;
  MemoryPlace place;  // the peer's end of the transfer
  Operation operation = Operation::kRead;
  // Where it goes to, or comes from.
  std::array<uint8_t, 16> gid{};
  std::vector<uint32_t> queue_pairs;
  uint32_t queue_key = 0;
  uint64_t remote_address = 0;
  uint64_t remote_length = 0;
  uint32_t remote_key = 0;
  uint32_t message_bytes = 0;
  uint32_t depth = 0;
  Nanoseconds warm_up{0};
  Nanoseconds window{0};
  Nanoseconds interval{0};
  uint64_t min_completions = 0;
  uint64_t max_requests = 0;
  uint64_t first_slot = 0;
  Nanoseconds stall_deadline{0};
  bool latency = false;  // of each message on its own, at a depth of 1: of READs
  RAILGAUGE_MESSAGE(run) {
    visit("nic", self.nic);
    visit("place", self.place);
    visit("operation", self.operation);
    visit("gid", self.gid);
    visit("queue_pairs", self.queue_pairs);
    visit("queue_key", self.queue_key);
    visit("remote_address", self.remote_address);
    visit("remote_length", self.remote_length);
    visit("remote_key", self.remote_key);
    visit("message_bytes", self.message_bytes);
    visit("depth", self.depth);
    visit("warm_up_ns", self.warm_up);
    visit("window_ns", self.window);
    visit("interval_ns", self.interval);
    visit("min_completions", self.min_completions);
    visit("max_requests", self.max_requests);
    visit("first_slot", self.first_slot);
    visit("stall_deadline_ns", self.stall_deadline);
    visit("latency", self.latency);
  }
};
struct Ran {
  Nanoseconds duration{0};  // of the window
  Nanoseconds posting{0};
  Nanoseconds polling{0};
  Nanoseconds idle{0};
  Nanoseconds interval{0};
  std::vector<Nanoseconds> interval_times;  // of the window's intervals, and
  std::vector<uint64_t> interval_counts;    // what completed in each
  uint64_t completions = 0;
  uint64_t posted = 0;
  std::optional<Latency> latency;
  std::optional<Nanoseconds> cpu_wait;
  std::optional<Failure> failure;
  RAILGAUGE_MESSAGE(ran) {
    visit("duration_ns", self.duration);
    visit("posting_ns", self.posting);
    visit("polling_ns", self.polling);
    visit("idle_ns", self.idle);
    visit("interval_ns", self.interval);
    visit("interval_times_ns", self.interval_times);
    visit("interval_counts", self.interval_counts);
    visit("completions", self.completions);
    visit("posted", self.posted);
    visit("latency", self.latency);
    visit("cpu_wait_ns", self.cpu_wait);
    visit("failure", self.failure);
  }
};

// The peer answers timed WRITEs with immediate, each by one like it, until the request after it.
struct AnswerRequest {
  PciAddress nic;
  MemoryPlace place;  // where they come to, and where answers come from
  std::array<uint8_t, 16> gid{};
  uint32_t queue_key = 0;
  uint64_t remote_address = 0;
  uint64_t remote_length = 0;
  uint32_t remote_key = 0;
  uint32_t message_bytes = 0;
  RAILGAUGE_MESSAGE(answer) {
    visit("nic", self.nic);
    visit("place", self.place);
    visit("gid", self.gid);
    visit("queue_key", self.queue_key);
    visit("remote_address", self.remote_address);
    visit("remote_length", self.remote_length);
    visit("remote_key", self.remote_key);
    visit("message_bytes", self.message_bytes);
  }
};
struct Answering {
  uint32_t queue_pair = 0;
  RAILGAUGE_MESSAGE(answering) { visit("queue_pair", self.queue_pair); }
};
struct AnswerEndRequest {
  PciAddress nic;
  RAILGAUGE_MESSAGE(answer_end) { visit("nic", self.nic); }
};
struct Answered {
  uint64_t posted = 0;
  std::optional<Nanoseconds> cpu_wait;
  std::optional<Failure> failure;
  RAILGAUGE_MESSAGE(answered) {
    visit("posted", self.posted);
    visit("cpu_wait_ns", self.cpu_wait);
    visit("failure", self.failure);
  }
};

// Whether others use NICs of the peer (lib/measure/busy.h), before anything is opened.
struct BusyRequest {
  std::vector<PciAddress> nics;
  RAILGAUGE_MESSAGE(busy) { visit("nics", self.nics); }
};
struct BusyAnswer {
  std::vector<std::string> nics;  // those in use, with what moved, in words
  RAILGAUGE_MESSAGE(busy_nics) { visit("nics", self.nics); }
};

// A NIC's counters (lib/measure/counters.h).
struct CountersRequest {
  PciAddress nic;
  RAILGAUGE_MESSAGE(counters) { visit("nic", self.nic); }
};
struct CounterReading {
  uint64_t rdma_read_bytes = 0;
  uint64_t rdma_read_resp_bytes = 0;
  uint64_t rdma_write_bytes = 0;
  uint64_t rdma_write_recv_bytes = 0;
  uint64_t send_bytes = 0;
  uint64_t recv_bytes = 0;
  std::optional<uint64_t> retrans_bytes;
  std::optional<uint64_t> retrans_timeout_events;
  RAILGAUGE_MESSAGE(counter_reading) {
    visit("rdma_read_bytes", self.rdma_read_bytes);
    visit("rdma_read_resp_bytes", self.rdma_read_resp_bytes);
    visit("rdma_write_bytes", self.rdma_write_bytes);
    visit("rdma_write_recv_bytes", self.rdma_write_recv_bytes);
    visit("send_bytes", self.send_bytes);
    visit("recv_bytes", self.recv_bytes);
    visit("retrans_bytes", self.retrans_bytes);
    visit("retrans_timeout_events", self.retrans_timeout_events);
  }
};

#undef RAILGAUGE_MESSAGE

using PeerRequest = std::variant<DescribeRequest, OpenRequest, RegisterRequest, MeetRequest,
                                 FillRequest, VerifyRequest, RunRequest, AnswerRequest,
                                 AnswerEndRequest, BusyRequest, CountersRequest>;

// Any request; an Error for a text that is none.
Result<PeerRequest> DecodeRequest(std::string_view text);

// The answer to a request, when it is the one expected; the peer's Error as ours when it failed.
template <typename Answer>
Result<Answer> DecodeAnswer(std::string_view text);

Failure FailureOf(const Error& error);
Error ErrorOf(const Failure& failure);

// ---- implementation ----

template <typename Answer>
Result<Answer> DecodeAnswer(std::string_view text) {
  RAILGAUGE_ASSIGN_OR_RETURN(const json_record::Json json, json_record::Parse(text));
  if (json_record::IsOfType(json, Failure::kType)) {
    RAILGAUGE_ASSIGN_OR_RETURN(const Failure failure, json_record::FromMessage<Failure>(json));
    return Fail(ErrorOf(failure));
  }
  return Decode<Answer>(text);
}

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PEER_MESSAGES_H_
