// Engine: measures cells, in loopback on this host. The one engine behind `railgauge check` and the
// benchmark binaries.
//
// A cell's NIC touches the place under test; its fixed partner (topology/relation.h) touches host
// memory of the partner's own NUMA node; roles.h says which of the two initiates. NICs are opened,
// and memory is allocated and registered, when a cell first needs them, and kept.
//
// Every cell: a verified message, warm-up and window, drain, a verified message; and what was
// posted in all that is held against the counters of both devices. A cell that cannot be measured
// gives a Sample too, with a status and a reason.
#ifndef RAILGAUGE_LIB_MEASURE_ENGINE_H_
#define RAILGAUGE_LIB_MEASURE_ENGINE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/measure/affinity.h"
#include "lib/measure/endpoint.h"
#include "lib/measure/loop.h"
#include "lib/measure/place_memory.h"
#include "lib/measure/plan.h"
#include "lib/measure/shape.h"
#include "lib/memory/cuda_driver.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"
#include "lib/verbs/device_list.h"

namespace railgauge {

struct EngineOptions {
  uint32_t queue_pairs = kQueuePairs;
  uint32_t max_depth = kMaxDepth;
  WorkingSet working_set = DefaultWorkingSet();
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
  uint32_t round = 0;
};

// One thread at a time; that thread is moved near the NIC that initiates, and put back at the end.
class Engine {
 public:
  // Lists the RDMA devices; opens none.
  static Result<std::unique_ptr<Engine>> Create(Machine machine, CudaDriver cuda,
                                                const EngineOptions& options = {});

  // One window of one cell, with its proof. A depth of 0 stands for the default.
  Sample Measure(const Cell& cell, const WindowRequest& request = {});

  // All windows of a plan, in order. At most a quarter as many are taken again (retakes), so that
  // a busy host does not make a multiple of the plan's time of it. `sink` gets each sample once it
  // is proven: in the plan's order, one window late, because the wait for the counters of one cell
  // is spent measuring the next. `should_stop` is asked before each window; what is left is then
  // not measured. Either is called on this thread; should_stop may be empty.
  void MeasureAll(const Plan& plan, const std::function<void(const Sample&)>& sink,
                  const std::function<bool()>& should_stop = {});

  // What a reader of the results should know, each once: a thread that could not be moved, …
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  // A cell resolved to what a transfer needs.
  struct Transfer {
    Endpoint* nic = nullptr;
    Endpoint* partner = nullptr;
    Endpoint* initiator = nullptr;
    Endpoint* target = nullptr;
    Buffer* source = nullptr;  // where the data comes from
    Buffer* sink = nullptr;    // and where it goes
    LoopSetup setup;
  };

  // A sample whose counters are still to be read.
  struct Pending {
    Sample sample;
    Endpoint* initiator = nullptr;
    Endpoint* target = nullptr;
    std::string no_baseline;  // why the counters were not read before, or empty
  };

  Engine(Machine machine, CudaDriver cuda, DeviceList devices, const EngineOptions& options);

  // Measures a cell up to its proof: a Pending, or a sample that needs none.
  Pending Start(const Cell& cell, const WindowRequest& request);
  // Reads the counters of `pending`, waiting until a reading is a new one, and finishes its sample.
  Sample Settle(Pending pending);

  // Sets what is known of the sample before anything is tried; a status other than kOk ends it.
  void Describe(Sample* sample);
  std::optional<Transfer> Prepare(Sample* sample);
  std::optional<std::string> WhyNot(const Transfer& transfer, const Sample& sample) const;
  Status Connect(Transfer* transfer, Sample* sample);
  void Run(Transfer* transfer, const WindowRequest& request, Sample* sample);
  bool TakeWindow(const Transfer& transfer, const LoopSetup& setup, Sample* sample);
  bool VerifyMessage(Transfer* transfer, uint64_t slot, Sample* sample);
  bool Account(const Transfer& transfer, const LoopResult& result, Sample* sample);

  Result<Endpoint*> EndpointOf(const Nic& nic);
  // The device is of no more use, which later cells are told at once; its endpoint is gone.
  void GiveUp(Endpoint* endpoint, const Error& reason);
  // Gives up those of a failed transfer's devices that are lost; the sample says so.
  void GiveUpIfLost(const Transfer& transfer, Sample* sample);
  // Reads the counters before a run where the last reading does not stand for it. The reason why
  // not, or empty.
  std::string EnsureBaseline(Endpoint* endpoint);
  void PinNear(const Endpoint& endpoint);
  void WarnOnce(const std::string& warning);

  Machine machine_;
  DeviceList devices_;
  EngineOptions options_;
  ThreadAffinity affinity_;
  std::optional<PciAddress> pinned_near_;
  std::vector<std::string> warnings_;
  uint64_t next_seed_ = 1;
  std::optional<uint64_t> retakes_left_;  // of the plan that is being measured
  PlaceMemory memory_;                    // outlives the endpoints, which have it registered
  std::map<PciAddress, Result<std::unique_ptr<Endpoint>>> endpoints_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_ENGINE_H_
