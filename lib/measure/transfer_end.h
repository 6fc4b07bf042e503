// TransferEnd: one NIC as an end of transfers: on this host (local_side.h), or on a peer
// (peer_side.h), which does by messages what the other does by calls.
//
// Everything that the engine does to an end goes through here, so that loopback and two hosts are
// one way of measuring. Nothing here is called within a window; Run is one.
#ifndef RAILGAUGE_LIB_MEASURE_TRANSFER_END_H_
#define RAILGAUGE_LIB_MEASURE_TRANSFER_END_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/measure/counters.h"
#include "lib/measure/endpoint.h"
#include "lib/measure/intervals.h"
#include "lib/measure/latency_histogram.h"
#include "lib/measure/loop.h"
#include "lib/measure/place_memory.h"
#include "lib/measure/plan.h"
#include "lib/record/place.h"

namespace railgauge {

struct EndFacts {
  std::string device;  // ibverbs name, and the host's where that is another
  bool rdma_read = false;
  bool rdma_write = false;
  uint64_t max_rdma_bytes = 0;
  uint32_t max_depth = 0;  // of all its queue pairs together
  std::optional<BytesPerSecond> line_rate;
  bool Can(Operation operation) const {
    return operation == Operation::kRead ? rdma_read : rdma_write;
  }
};

// How other NICs reach this one's queues.
struct EndQueues {
  Gid gid{};
  std::vector<uint32_t> numbers;
  uint32_t key = 0;
};

// Which memory of an end's host.
struct EndPlace {
  MemoryPlace place;
  MemoryRole role = MemoryRole::kUnderTest;
};

// It, registered with the end's NIC.
struct EndMemory {
  uint64_t address = 0;
  uint64_t length = 0;
  uint32_t remote_key = 0;
  RegistrationWay way = RegistrationWay::kHost;
  InterconnectIds ids;
};

// What an initiator is to do, see LoopSetup.
struct RunOrder {
  Operation operation = Operation::kRead;
  EndPlace local;
  EndQueues target;
  EndMemory remote;
  uint32_t message_bytes = 0;
  uint32_t depth = 0;
  WindowTiming timing;
  Nanoseconds interval{0};
  uint64_t min_completions = 1;
  uint64_t max_requests = 0;
  uint64_t first_slot = 0;
  Nanoseconds stall_deadline{0};
  // Each message on its own, timed. Of a WRITE the target answers each (StartAnswering), and
  // `target` has the queue pair that does.
  bool latency = false;
  bool between_hosts = false;  // for what to advise when nothing completes
};

// What the target of timed WRITEs is to do, see AnswerSetup.
struct AnswerOrder {
  EndPlace local;
  EndQueues asker;  // its queue pairs come with its messages
  EndMemory remote;
  uint32_t message_bytes = 0;
};

struct AnswerOutcome {
  uint64_t posted = 0;                  // answers
  std::optional<Nanoseconds> cpu_wait;  // of the answering thread, see cpu_wait.h
  std::optional<Error> failure;
};

struct RunOutcome {
  // By this host's clock; of a peer's window it is known to a round trip of the control channel.
  MeasuringClock::time_point window_start;
  Nanoseconds duration{0};  // of the window
  Nanoseconds posting{0};   // and its shares, see LoopResult
  Nanoseconds polling{0};
  Nanoseconds idle{0};
  Nanoseconds interval{0};
  std::vector<IntervalCount> intervals;
  uint64_t completions = 0;
  uint64_t posted = 0;
  uint64_t answered = 0;  // by the target, of timed WRITEs
  std::optional<LatencySummary> latency;
  std::optional<Nanoseconds> cpu_wait;  // of the measuring thread, see cpu_wait.h
  Nanoseconds longest_gap{0};           // see LoopResult; of a peer's run not known
  std::optional<Error> failure;
};

class TransferEnd {
 public:
  virtual ~TransferEnd() = default;

  virtual const EndFacts& facts() const = 0;
  // Changes after a run that failed.
  virtual const EndQueues& queues() const = 0;

  // Gives the end its memory at `place`, once.
  virtual Result<EndMemory> Register(const EndPlace& place) = 0;
  // Makes it know the NIC with `gid`, once: without that a NIC serves no RDMA to another.
  virtual Status Meet(const Gid& gid) = 0;

  // See Buffer. The place is registered.
  virtual Status Fill(const EndPlace& place, uint64_t seed, uint64_t offset, uint64_t length) = 0;
  // What differs, in words.
  virtual Result<std::optional<std::string>> Verify(const EndPlace& place, uint64_t seed,
                                                    uint64_t offset, uint64_t length) = 0;

  // Initiates; the place is registered and the target met.
  virtual RunOutcome Run(const RunOrder& order) = 0;

  // Answers timed WRITEs from now on, on a thread near the NIC; the place is registered and the
  // asker met. Returns where they go. One exchange at a time; what goes wrong in it StopAnswering
  // says.
  virtual Result<EndQueues> StartAnswering(const AnswerOrder& order) = 0;
  virtual AnswerOutcome StopAnswering() = 0;

  virtual Result<DeviceCounters> ReadCounters() = 0;

  // Why the device is of no more use, when it says so itself; later runs are then told at once.
  // Empty for a peer's, which answers every request by that.
  virtual std::optional<Error> TakeLoss(Operation operation) = 0;

  // What is known of the device's counters, kept by who measures (engine.cc).
  struct CounterLedger {
    std::optional<DeviceCounters> last;  // the last reading, when nothing unknown happened since
    RdmaBytes expected;                  // what was posted since
    MeasuringClock::time_point quiet_since = MeasuringClock::now();
  };
  CounterLedger& ledger() { return ledger_; }

 private:
  CounterLedger ledger_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_TRANSFER_END_H_
