// LocalSide: this host's NICs and memory as ends of transfers. NICs are opened, and memory is
// allocated and registered, when first needed, and kept.
#ifndef RAILGAUGE_LIB_MEASURE_LOCAL_SIDE_H_
#define RAILGAUGE_LIB_MEASURE_LOCAL_SIDE_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/measure/affinity.h"
#include "lib/measure/endpoint.h"
#include "lib/measure/place_memory.h"
#include "lib/measure/shape.h"
#include "lib/measure/transfer_end.h"
#include "lib/memory/cuda_driver.h"
#include "lib/topology/machine.h"
#include "lib/verbs/device_list.h"

namespace railgauge {

struct LocalOptions {
  uint32_t queue_pairs = kQueuePairs;
  uint32_t max_depth = kMaxDepth;
  WorkingSet working_set = DefaultWorkingSet();
};

// One thread at a time; that thread is moved near the NIC that initiates, and put back at the end.
class LocalSide {
 public:
  // Lists the RDMA devices; opens none.
  static Result<std::unique_ptr<LocalSide>> Create(Machine machine, CudaDriver cuda,
                                                   const LocalOptions& options = {});
  ~LocalSide();

  const Machine& machine() const { return machine_; }
  const LocalOptions& options() const { return options_; }
  PlaceMemory& memory() { return memory_; }

  // The end of this machine's `nic`, which it opens. Valid as long as this object.
  Result<TransferEnd*> EndOf(const Nic& nic);

  // Runs at once, each on a thread of its own near its NIC, with a window that is common to all
  // (group_run.h): what the timing and the stall deadline of the first order say holds for all. No
  // NIC is there twice, and all were opened. An outcome per run, in order; one that fails leaves
  // the others theirs. One in whose window nothing completed has not failed: it has no duration.
  struct MemberRun {
    PciAddress nic;
    RunOrder order;
  };
  std::vector<RunOutcome> RunTogether(std::span<const MemberRun> runs);

  // What ends a run early, see LoopSetup::cancelled. Outlives this object; null: nothing.
  void CancelBy(const std::atomic<bool>* cancelled) { cancelled_ = cancelled; }

  // What a reader of the results should know, each once: a thread that could not be moved, …
  std::vector<std::string> warnings() const;
  void WarnOnce(const std::string& warning);

 private:
  class End;

  LocalSide(Machine machine, CudaDriver cuda, DeviceList devices, const LocalOptions& options);

  Result<std::unique_ptr<End>> Open(const Nic& nic);
  void PinNear(const Nic& nic);
  // Of the NIC's NUMA node; empty (with a warning) where none are known.
  std::vector<uint32_t> CpusNear(const Nic& nic);
  void WarnNotPinned(const Nic& nic, const Error& error);

  Machine machine_;
  DeviceList devices_;
  LocalOptions options_;
  ThreadAffinity affinity_;
  std::optional<PciAddress> pinned_near_;
  const std::atomic<bool>* cancelled_ = nullptr;
  std::vector<std::string> warnings_;
  PlaceMemory memory_;  // outlives the ends, which have it registered
  std::map<PciAddress, Result<std::unique_ptr<End>>> ends_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_LOCAL_SIDE_H_
