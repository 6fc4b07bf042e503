// Explanation: everything that a run recorded about a NIC at a memory place, in one struct; and of
// a NIC or a place by itself, what it is at all the others. explanation_text.h writes it down.
//
// Pure, and it adds no opinion: each part is what the census, the judge or the load groups say,
// with the figures that they rest on. What is not known is an empty part, never a guess.
#ifndef RAILGAUGE_LIB_PLACEMENT_EXPLANATION_H_
#define RAILGAUGE_LIB_PLACEMENT_EXPLANATION_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/placement/ceilings.h"
#include "lib/placement/comparison.h"
#include "lib/placement/crossing.h"
#include "lib/placement/evidence.h"
#include "lib/placement/speed_class.h"
#include "lib/record/load_group.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"
#include "lib/topology/relation.h"

namespace railgauge {

// What a run directory holds, read back.
struct RunRecords {
  RunIdentity run;
  Machine machine;
  std::vector<CensusRow> census;
  std::vector<Sample> samples;
  std::vector<PlacementRow> placement;
  std::vector<GroupRow> groups;
  std::vector<std::string> missing;    // files that a run has and this directory has not
  std::vector<PciAddress> cuda_order;  // what "gpu3" meant in the run; empty: it is not known
};

// The machine's, those that nothing can be measured at yet, and what the census names besides (a
// GPU that CUDA lists and PCI hides).
std::vector<MemoryPlace> KnownPlaces(const RunRecords& records);

// The decision that the run judged, as its verdicts name it: for the evidence to weigh the same
// comparisons.
Decision DecisionOf(std::span<const PlacementRow> placement);

// The other places that a NIC reaches by the same id of one field.
struct SharedId {
  IcField field = IcField::kRecv;
  uint16_t id = 0;
  std::vector<MemoryPlace> others;
};

// Windows of one cell that are no evidence, or were not measured.
struct LostWindows {
  SampleStatus status = SampleStatus::kSkipped;
  std::optional<SkipCause> skip_cause;
  std::string reason;  // of the first of them
  uint64_t count = 0;
};

// Another cell that was measured in turn with a cell.
struct InTurn {
  Cell other;
  // Of the cell to the other, by their rounds alone: what a verdict makes of it among all
  // comparisons of the run stands in its row.
  Comparison comparison;
};

// One cell and registration way of the pair, alone.
struct ExplainedCell {
  SummaryRow summary;                         // median, interval, verdict, findings
  std::optional<BytesPerSecond> least, most;  // of its windows
  uint64_t disturbed = 0;
  std::vector<LostWindows> lost;
  std::vector<Sample> partners;  // a sample for each NIC, memory and peer at the other end
  std::optional<BytesPerSecond> line_rate;
  std::optional<SpeedClasses::Standing> standing;
  std::vector<InTurn> in_turn;  // those measured nearest in time first
  bool judged = false;  // verdicts on the pair rest on this one, of several sizes, depths or ways
};

// Something that the pair's transfers cross, in whatever direction, and what it can carry.
struct PairResource {
  struct Limit {
    Ceiling ceiling;
    std::vector<Operation> operations;  // of the transfers that it is of
  };
  Resource resource;
  bool certain = false;  // that it is crossed (Crossing::certain)
  std::vector<Limit> limits;
};

struct PairExplanation {
  Nic nic;
  MemoryPlace place;
  RelationResult relation;
  std::vector<CensusRow> ways;
  std::vector<SharedId> shared_ids;
  std::vector<ExplainedCell> cells;
  // By the cells, partners included; of a pair that was not measured, its own half.
  std::vector<PairResource> crossed;
  // The rows of the place as a consumer, and those in which the NIC serves or should serve another.
  std::vector<PlacementRow> verdicts;
  std::vector<PlacementRow> other_uses;
  std::vector<Finding> findings;  // that name the NIC or the place, and none of another
  std::vector<GroupRow> groups;   // in which the NIC ran
};

PairExplanation ExplainPair(const RunRecords& records, const Nic& nic, const MemoryPlace& place);

// A pair in one line of a table.
struct PairLine {
  NicKey nic;
  MemoryPlace place;
  Relation relation = Relation::kUnknown;
  std::vector<CensusRow> ways;
  // The judged cells, in the order of kDimensions; empty where none was asked for.
  std::vector<std::optional<SummaryRow>> dimensions;
  bool chosen = false;  // the NIC serves the place in the decision that the run judged
};

struct Overview {
  std::vector<PairLine> lines;  // of places, or of NICs, as the machine has them
  std::vector<PlacementRow> verdicts;
  std::vector<Finding> findings;
  std::vector<GroupRow> groups;
};

// Of a NIC at every place, and of a place with every NIC.
Overview ExplainNic(const RunRecords& records, const NicKey& nic);
Overview ExplainPlace(const RunRecords& records, const MemoryPlace& place);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_EXPLANATION_H_
