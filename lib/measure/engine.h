// Engine: measures cells, in loopback on this host or with a peer. The one engine behind `railgauge
// check` and the benchmark binaries.
//
// A cell's NIC touches the place under test; its fixed partner (on this host as topology/relation.h
// says, on a peer as peer_partner.h does) touches host memory of the partner's own NUMA node;
// roles.h says which of the two initiates. What either is made to do is the same on both hosts
// (transfer_end.h).
//
// Every cell: a verified message, warm-up and window, drain, a verified message; and what was
// posted in all that is held against the counters of both devices. A cell that cannot be measured
// gives a Sample too, with a status and a reason; once the peer is gone, so do all that are left.
#ifndef RAILGAUGE_LIB_MEASURE_ENGINE_H_
#define RAILGAUGE_LIB_MEASURE_ENGINE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/measure/far_ends.h"
#include "lib/measure/local_side.h"
#include "lib/measure/loop.h"
#include "lib/measure/peer_side.h"
#include "lib/measure/plan.h"
#include "lib/measure/transfer_end.h"
#include "lib/memory/cuda_driver.h"
#include "lib/record/records.h"
#include "lib/stats/dip.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct EngineOptions {
  LocalOptions local;
  Nanoseconds stall_deadline = std::chrono::seconds{10};
  // How often a window is taken again because the measuring thread was kept from its CPU
  // (cpu_wait.h). What is decided by is the wait and never the rate, so it favours no result. A
  // sample whose last window was disturbed too says so in its reason.
  uint32_t retakes = 2;
  // What Sample::start_offset counts from.
  MeasuringClock::time_point run_start = MeasuringClock::now();
};

// How long a window is: at least `window`, and at least `min_completions` completions.
struct WindowRequest {
  WindowTiming timing;
  uint64_t min_completions = 1;
  // The window's throughput is noted in intervals of this length; 0: not.
  Nanoseconds interval = std::chrono::milliseconds{100};
  // Single messages are timed, one at a time: the depth is then 1. Of a READ, and of a WRITE
  // from_memory, whose target answers by another one: half of the round trip is what is told
  // (exchange.h), so that the way back to memory is in it, too, and there is no other one for
  // to_memory.
  bool latency = false;
  uint32_t round = 0;
};

// One of several cells that are measured at once.
struct GroupMember {
  Cell cell;
  // In loopback the other end; where it is not given, and with a peer, the NIC's fixed partner.
  std::optional<FarEnd> far_end;
};

// One thread at a time; that thread is moved near the NIC that initiates, and put back at the end.
class Engine {
 public:
  // Lists the RDMA devices; opens none. Without a peer it measures in loopback.
  static Result<std::unique_ptr<Engine>> Create(Machine machine, CudaDriver cuda,
                                                const EngineOptions& options = {},
                                                std::unique_ptr<PeerSide> peer = nullptr);

  // One window of one cell, with its proof. A depth of 0 stands for the default.
  Sample Measure(const Cell& cell, const WindowRequest& request = {});

  // All windows of a plan, in order. At most a quarter as many are taken again (retakes), so that
  // a busy host does not make a multiple of the plan's time of it. `sink` gets each sample once it
  // is proven: in the plan's order, one window late, because the wait for the counters of one cell
  // is spent measuring the next. `should_stop` is asked before each window; what is left is then
  // not measured. Either is called on this thread; should_stop may be empty.
  void MeasureAll(const Plan& plan, const std::function<void(const Sample&)>& sink,
                  const std::function<bool()>& should_stop = {});

  // Cells at once: each as Measure does it, but that the windows lie within one common window and
  // every NIC that initiates has a thread of its own near it (group_run.h). A sample per member, in
  // order. One that cannot be measured leaves the others theirs, which then say so. No NIC may
  // initiate for two members, and with a peer this host must initiate: such members are skipped.
  std::vector<Sample> MeasureTogether(std::span<const GroupMember> members,
                                      const WindowRequest& request = {});

  // Why the peer cannot be measured with any more; empty while it can, and in loopback.
  std::optional<std::string> peer_gone() const {
    return peer_ != nullptr && peer_->gone() ? std::optional(peer_->why_gone()) : std::nullopt;
  }

  // What a reader of the results should know, each once: a thread that could not be moved, …
  std::vector<std::string> warnings() const { return local_->warnings(); }

  // This host's memory that was measured with so far.
  std::vector<BufferFacts> buffers() const { return local_->memory().Facts(); }

 private:
  // A cell resolved to what a transfer needs.
  struct Transfer {
    TransferEnd* nic = nullptr;
    TransferEnd* partner = nullptr;
    TransferEnd* initiator = nullptr;
    TransferEnd* target = nullptr;
    // Where the data comes from, and where it goes.
    TransferEnd* source = nullptr;
    EndPlace source_place;
    TransferEnd* sink = nullptr;
    EndPlace sink_place;
    EndMemory own;        // the initiator's
    uint64_t slots = 0;   // that both memories have
    uint64_t stride = 0;  // bytes from one to the next, on both sides
    RunOrder order;
  };

  // A sample whose counters are still to be read.
  struct Pending {
    Sample sample;
    TransferEnd* initiator = nullptr;
    TransferEnd* target = nullptr;
    std::string no_baseline;  // why the counters were not read before, or empty
  };

  Engine(std::unique_ptr<LocalSide> local, std::unique_ptr<PeerSide> peer,
         const EngineOptions& options);

  // Ends a sample; one that is skipped is not possible until another cause is given.
  static void End(Sample* sample, SampleStatus status, std::string reason);
  // Adds a remark to a sample whose status stays what it is.
  static void Remark(Sample* sample, const std::string& remark);
  // A sample of `cell` of which nothing else is known, with the depth that it does not name.
  Sample Begin(const Cell& cell, uint32_t round) const;
  // Measures a cell up to its proof: a Pending, or a sample that needs none.
  Pending Start(const Cell& cell, const WindowRequest& request);
  // Reads the counters of `pending`, waiting until a reading is a new one, and finishes its sample.
  Sample Settle(Pending pending);
  // Whether measuring `cell` would move what the counters of `pending` must not see.
  bool Disturbs(const Cell& cell, const Pending& pending);

  // Sets what is known of the sample before anything is tried; a status other than kOk ends it.
  void Describe(Sample* sample);
  bool DescribePartner(const Nic& nic, Sample* sample);
  std::optional<Transfer> Prepare(Sample* sample);
  std::optional<std::string> WhyNot(const Transfer& transfer, const Sample& sample) const;
  Status Connect(Transfer* transfer, Sample* sample);
  void Run(Transfer* transfer, const WindowRequest& request, Sample* sample);
  bool TakeWindow(const Transfer& transfer, const RunOrder& order, Sample* sample,
                  std::optional<Nanoseconds>* cpu_wait);
  // A timed WRITE: the target answers meanwhile.
  RunOutcome RunExchange(const Transfer& transfer, RunOrder order);
  bool TakeOutcome(const Transfer& transfer, const RunOutcome& outcome, Sample* sample);
  bool VerifyMessage(const Transfer& transfer, uint64_t slot, Sample* sample);
  bool Account(const Transfer& transfer, const RunOutcome& outcome, Sample* sample);

  // Of a group, in engine_group.cc.
  struct Member;
  Member Join(const GroupMember& request, uint32_t round);
  // Ends a sample whose common window says nothing of a rate.
  static void EndIfShort(Nanoseconds window, Sample* sample);
  void KeepOneInitiatorEach(std::vector<Member>* members);
  // Whether a thread was kept from its CPU.
  bool TakeTogether(std::vector<Member>* members, const WindowRequest& request);
  void SettleTogether(std::vector<Member>* members);

  void BlameLostDevice(const Transfer& transfer, Sample* sample);

  Result<TransferEnd*> NicEnd(const PciAddress& nic);
  // The end of a partner on this host or the peer, whichever it is measured with.
  Result<TransferEnd*> PartnerEnd(const PciAddress& partner);
  // Reads the counters before a run where the last reading does not stand for it. The reason why
  // not, or empty.
  std::string EnsureBaseline(TransferEnd* end);
  // The failure as the sample's reason: when the peer is gone, that is the reason of all others.
  std::string ReasonOf(const Error& error) const;

  const Machine& machine() const { return local_->machine(); }

  EngineOptions options_;
  std::unique_ptr<PeerSide> peer_;  // null: loopback
  std::unique_ptr<LocalSide> local_;
  uint64_t next_seed_ = 1;
  DipTest dip_test_;                      // of the intervals of windows
  std::optional<uint64_t> retakes_left_;  // of the plan that is being measured
  uint64_t group_windows_ = 0;            // so far, and how many of them again
  uint64_t group_retakes_ = 0;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_ENGINE_H_
