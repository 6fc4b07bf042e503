// Evidence: what a run measured, seen from a decision: who uses a NIC, which cells a consumer's
// verdict rests on, and which other NIC could take the place of a chosen one.
//
// Shared by the judge and by the shortlist of what to measure again, so that the two agree on which
// comparison a verdict hangs on.
#ifndef RAILGAUGE_LIB_PLACEMENT_EVIDENCE_H_
#define RAILGAUGE_LIB_PLACEMENT_EVIDENCE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/placement/believed_speed.h"
#include "lib/placement/cell_table.h"
#include "lib/placement/comparison.h"
#include "lib/placement/decision.h"
#include "lib/placement/findings.h"
#include "lib/placement/gates.h"
#include "lib/placement/speed_class.h"
#include "lib/record/records.h"
#include "lib/stats/false_discovery.h"
#include "lib/topology/machine.h"

namespace railgauge {

// What about a rival hangs on windows too few to tell (believed_speed.h).
enum class Reserve : uint8_t {
  kNone,
  kOtherDimension,  // whether it is worse than the chosen one in another dimension
  kExchange,        // whether exchanging it gains
};

// A NIC that a consumer could have instead of a chosen one.
struct Rival {
  const MeasuredCell* cell = nullptr;  // of the rival, at the consumer
  // Nobody uses it, or exchanging it with a user of it gains more than it costs. A rival that is
  // not free is rightly used by another, and no reason to call the decision wrong.
  bool free = false;
  bool idle = false;                 // nobody uses it
  Reserve reserve = Reserve::kNone;  // none: `free` is sure
};

class Evidence {
 public:
  // All must outlive this.
  Evidence(const Machine& machine, std::span<const CensusRow> census,
           std::span<const Sample> samples, const Decision& decision, const JudgeGates& gates);
  Evidence(const Evidence&) = delete;
  Evidence& operator=(const Evidence&) = delete;

  const Machine& machine() const { return machine_; }
  const Decision& decision() const { return decision_; }
  const JudgeGates& gates() const { return gates_; }
  const CellTable& table() const { return table_; }
  const Relations& relations() const { return relations_; }
  const SpeedClasses& classes() const { return classes_; }

  // Two cells, and a suspect with its class: as Compare of comparison.h and
  // SpeedClasses::CompareWithClass, but among all comparisons of the run, so that the findings of a
  // run of many share one false-discovery budget.
  Comparison Compare(const MeasuredCell& cell, const MeasuredCell& other, double margin) const;
  Comparison CompareWithClass(const MeasuredCell& cell) const;

  const Findings& findings() const { return findings_; }

  // The consumers that use `nic`; empty when it is idle.
  const std::vector<MemoryPlace>& Users(const PciAddress& nic) const;
  bool Idle(const PciAddress& nic) const { return Users(nic).empty(); }

  // The dimensions in which all NICs of the assignment were measured: what rivals are compared in.
  std::vector<Dimension> JudgedDimensions(const Assignment& assignment) const;

  // The least throughput of `nic` at `place` over `dimensions`. Empty where one was not measured.
  std::optional<double> Worst(const PciAddress& nic, const MemoryPlace& place,
                              const std::vector<Dimension>& dimensions) const;

  // What speed a measured cell of the table may have.
  const SpeedRange& Believed(const MeasuredCell& cell) const;

  // The rivals of a chosen NIC in one dimension, in the order in which one would take them: free
  // ones first, then those that may be; among the fastest (within JudgeGates::differs) idle ones
  // and nearer ones first. Not the NICs that are surely worse than the chosen one by
  // JudgeGates::bad_placement in some dimension.
  std::vector<Rival> RivalsOf(const Assignment& assignment, const PciAddress& chosen,
                              const Dimension& dimension) const;

 private:
  // The p-values of all comparisons that a verdict of this run may rest on.
  std::vector<double> PValues() const;
  // What the medians say, and whether that is sure.
  struct Claim {
    bool likely = false;
    Sure sure = Sure::kNo;
  };
  // Whether exchanging a NIC that others use gains more than it costs them.
  Claim ExchangeGains(const MemoryPlace& consumer, const PciAddress& chosen,
                      const PciAddress& rival, const Dimension& dimension) const;
  // Whether `rival` is worse than the chosen one by JudgeGates::bad_placement in one of the
  // dimensions, by paired rounds where there are any; surely so where it was not measured.
  Claim WorseSomewhere(const MemoryPlace& consumer, const PciAddress& chosen,
                       const PciAddress& rival, const std::vector<Dimension>& dimensions) const;
  Claim Worse(const MeasuredCell& cell, const MeasuredCell& other) const;

  const Machine& machine_;
  const Decision& decision_;
  const JudgeGates gates_;
  const CellTable table_;
  const Relations relations_;
  const SpeedClasses classes_;
  const Findings findings_;
  std::vector<SpeedRange> believed_;  // by index of the table's cells
  std::map<PciAddress, std::vector<MemoryPlace>> users_;
  FalseDiscovery budget_{{}};  // of PValues
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_EVIDENCE_H_
