// Engine: what is in flight in the whole fabric, in order of time, and the copying of payload.
//
// The engine owns the fabric's one lock. A transfer goes to Schedule (its time comes, the handler
// decides), to Move (it passes through a flow of the network, and then its time comes) or to
// MoveAndCopy (its payload is copied besides, ahead of its time where the host can). Copies run
// outside the lock in batches small enough for the lock's other users to get in between; whoever
// takes memory or a queue pair away first marks it, so that no new batch touches it, and then waits
// for the batch under way.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_ENGINE_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_ENGINE_H_

#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "lib/emulator/device/copy_policy.h"
#include "lib/emulator/device/environment.h"
#include "lib/emulator/device/flow_network.h"
#include "lib/emulator/device/noise.h"
#include "lib/emulator/device/sim_time.h"
#include "lib/emulator/device/transfer.h"

namespace railgauge::efa {

// The protocol on top. Called with the lock held.
class TransferHandler {
 public:
  virtual ~TransferHandler() = default;
  // The transfer's time has come: ends with Engine::Finish, or schedules it again.
  virtual void OnDue(Transfer& transfer, SimTime now) = 0;
  // Whether the payload may still be copied. No: sets the status, and OnDue follows in due time.
  virtual bool MayCopy(Transfer& transfer) = 0;
};

class Engine {
 public:
  struct Options {
    // What follows a way through a flow at least, but where nothing does.
    SimTime least_latency = 0;
    bool may_sample = true;  // copy_policy.h
  };
  Engine(FabricEnvironment environment, TransferHandler* handler, const Options& options);

  using Lock = std::unique_lock<std::mutex>;
  Lock Acquire() { return Lock(mutex_); }
  // Releases the lock, then calls the environment for what came up under it.
  void Release(Lock& lock);

  // The rest needs the lock.
  SimTime Now() const;
  // `time` by the environment's clock.
  Nanoseconds ToClock(SimTime time) const { return epoch_ + ToNanoseconds(time); }

  // A new transfer, the engine's until Finish or Cancel. `of_initiator` counts those of its device
  // that are in flight, and outlives it.
  Transfer& Start(uint64_t& of_initiator);
  void Schedule(Transfer& transfer, SimTime due);
  struct Way {
    Flow* flow;
    double bytes;     // that pass through it
    SimTime since;    // as FlowNetwork::Post has it
    SimTime latency;  // after it
  };
  void Move(Transfer& transfer, const Way& way);
  void MoveAndCopy(Transfer& transfer, const Way& way);
  void Finish(Transfer& transfer);
  // The transfer will not end by itself, only by Cancel. Others then find all as idle as if
  // it were not there.
  void Hold(Transfer& transfer);
  // Finish for a transfer that is scheduled. Not while a batch is being copied: WaitForCopies.
  void Cancel(Transfer& transfer);

  // For flows; what moves in them is the engine's.
  FlowNetwork& network() { return network_; }
  // Returns the index of the first.
  uint32_t AddResources(const EmulatedMachine& machine) { return drift_.Add(machine, &network_); }
  void SetCapacity(uint32_t resource, BytesPerSecond capacity);

  // For how long the poller has been expected.
  SimTime Overdue(SimTime now) const {
    return poll_at_ != kPolling && poll_at_ < now ? now - poll_at_ : 0;
  }

  void RaiseEvent(uint32_t node, const PciAddress& nic, uint16_t cq) {
    events_to_raise_.push_back({node, nic, cq});
  }

  void RaiseRemoval(uint32_t node, const PciAddress& nic) {
    removals_to_raise_.push_back({node, nic, 0});
  }
  // The poller is to come at once: what is due is not in the engine's queues.
  void Wake() { wake_ = true; }

  // Until the batch under way, if any, is copied. Gives the lock up meanwhile.
  void WaitForCopies(Lock& lock);

  // Takes the lock by itself; see Fabric::Poll.
  std::optional<Nanoseconds> Poll();

 private:
  struct Entry {
    SimTime due;
    uint64_t sequence;
    Transfer* transfer;
    friend bool operator>(const Entry& a, const Entry& b) {
      return std::pair(a.due, a.sequence) > std::pair(b.due, b.sequence);
    }
  };
  using Queue = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

  struct Event {
    uint32_t node;
    PciAddress nic;
    uint16_t cq;
  };

  // A piece of a payload: [transfer->copied, end).
  struct Piece {
    Transfer* transfer;
    uint64_t end;
    bool sampled;
  };

  void Push(Queue& queue, Transfer& transfer);
  Transfer* PopLive(Queue& queue, SimTime until);
  void Recycle(Transfer& transfer);
  void LeaveFlight(const Transfer& transfer, SimTime now);
  void Advance(SimTime now);
  void TakeDeparted(SimTime now);
  void Enter(Transfer& transfer, SimTime since, SimTime now);
  void OnDeparted(Transfer& transfer);
  void OnCopied(Transfer& transfer);
  SimTime ExpectedDue(const Transfer& transfer) const;
  SimTime NextFromNetwork() const;
  void RequestWake(SimTime at);
  void SpreadBacklog();
  void RunDue();
  bool TakeBatch();
  void CopyBatch();
  void CopyPiece(const Piece& piece);
  void FinishBatch(SimTime started);

  const FabricEnvironment environment_;
  TransferHandler* const handler_;
  const Nanoseconds epoch_;
  const Options options_;

  std::mutex poll_mutex_;  // before mutex_
  std::mutex mutex_;
  std::condition_variable batch_done_;

  FlowNetwork network_;
  CapacityDrift drift_;
  uint64_t without_latency_ = 0;  // transfers in it
  Queue timed_;                   // OnDue at their time
  Queue uncopied_;                // payload to be copied, the most urgent first
  uint64_t uncopied_bytes_ = 0;
  std::vector<std::unique_ptr<Transfer>> transfers_;
  std::vector<Transfer*> unused_;
  uint64_t sequence_ = 0;
  uint64_t in_flight_ = 0;
  CopyPolicy policy_;

  std::vector<Piece> batch_;
  std::vector<MemoryCopy> copies_;  // of one piece; the poller's
  bool copying_ = false;
  uint64_t batch_number_ = 0;

  static constexpr SimTime kPolling = std::numeric_limits<SimTime>::min();
  SimTime poll_at_ = kNever;  // when the next Poll is expected; kPolling while one runs
  bool wake_ = false;
  std::vector<Event> events_to_raise_;
  std::vector<Event> removals_to_raise_;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_ENGINE_H_
