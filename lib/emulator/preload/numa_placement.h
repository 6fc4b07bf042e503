// NumaPlacement: on which emulated NUMA node memory lies, by the calls that put it there.
//
// This host may have one node; the emulated machine has several. mbind(2) and its kin are answered
// from here as the emulated machine's kernel would, and move_pages(2) and the registration of
// memory regions find the placement again. Memory itself is not moved.
//
// A page that no call placed lies where it was first touched; that is not seen, so it counts as
// being on the node of the asking thread's CPU.
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_NUMA_PLACEMENT_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_NUMA_PLACEMENT_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "lib/emulator/preload/address_ranges.h"
#include "lib/emulator/preload/index_set.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

// A policy as set_mempolicy(2) and mbind(2) know it.
struct NumaPolicy {
  int mode = 0;  // MPOL_*, without flags
  IndexSet nodes;
};

class NumaPlacement {
 public:
  // Which of the pages [address, address + 4096 * resident->size()) are in memory; false when some
  // are not mapped at all. mincore(2), or a test's own.
  using ResidencyProbe = bool (*)(uint64_t address, std::vector<bool>* resident);

  NumaPlacement(const EmulatedMachine& machine, ResidencyProbe probe);

  // The calls, with the kernel's arguments: 0 or a negative errno value. `here` is the node of the
  // calling thread's CPU, `policy` its own.
  int Bind(uint64_t address, uint64_t length, int mode, const unsigned long* mask,
           uint64_t max_node, unsigned flags, uint32_t here, const NumaPolicy& policy);
  int SetThreadPolicy(int mode, const unsigned long* mask, uint64_t max_node, NumaPolicy* policy);
  int GetPolicy(int* mode, unsigned long* mask, uint64_t max_node, uint64_t address, unsigned flags,
                uint32_t here, const NumaPolicy& policy);
  int MovePages(uint64_t count, const uint64_t* pages, const int* nodes, int* status,
                unsigned flags, uint32_t here, const NumaPolicy& policy);

  // The mapping at that range is gone, or a new one is there.
  void Forget(uint64_t address, uint64_t length);

  struct Run {
    uint64_t length = 0;
    uint32_t node = 0;
  };
  // The nodes of [address, address + length), split where a page lies elsewhere than the one
  // before.
  std::vector<Run> RunsOf(uint64_t address, uint64_t length, uint32_t here,
                          const NumaPolicy& policy) const;

  uint32_t NodeOfCpu(uint32_t cpu) const;  // 0 when there is no such CPU
  const IndexSet& cpus() const { return cpus_; }

 private:
  struct Placement {
    NumaPolicy policy;
    uint64_t origin = 0;  // where interleaving starts
  };

  int CheckPolicy(int mode, const unsigned long* mask, uint64_t max_node, NumaPolicy* policy) const;
  uint32_t NodeOf(uint64_t page, uint32_t here, const NumaPolicy& policy) const;
  static uint32_t Choose(const NumaPolicy& policy, uint64_t page_number, uint32_t here);
  void KeepResidentPages(uint64_t address, const std::vector<bool>& resident, uint32_t here,
                         const NumaPolicy& policy);

  const ResidencyProbe probe_;
  IndexSet cpus_, nodes_, nodes_with_memory_;
  std::map<uint32_t, uint32_t> node_of_cpu_;
  mutable std::mutex mutex_;
  AddressRanges<Placement> placements_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_NUMA_PLACEMENT_H_
