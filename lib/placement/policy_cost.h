// What each policy would cost on a machine of which a run was recorded: the verdicts on its choice,
// and what the worst consumer gets by the recorded matrix. Pure.
//
// The model of throughput:
//  * A NIC that k consumers use gives each of them 1/k of what it gives alone.
//  * A consumer's throughput in a dimension (operation and direction) is the sum over its NICs, and
//    its throughput that of its worst dimension.
//  * What NICs share upstream is not known here (railgauge load measures it), so a rate is what a
//    choice could give, and the loss of a policy against another that of its pairs.
#ifndef RAILGAUGE_LIB_PLACEMENT_POLICY_COST_H_
#define RAILGAUGE_LIB_PLACEMENT_POLICY_COST_H_

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/placement/cell_table.h"
#include "lib/placement/decision.h"
#include "lib/placement/gates.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct ConsumerRate {
  MemoryPlace consumer;
  Dimension dimension;  // its worst
  double rate = 0;      // bytes per second
};

// The consumer of `decision` that gets least, of those among `places`. Empty where some pair of one
// of them was not measured in a dimension in which the run measured others: a policy is not worth
// less for what the run left out, nor more.
std::optional<ConsumerRate> WorstConsumer(const CellTable& table, const Decision& decision,
                                          std::span<const MemoryPlace> places);

struct PolicyCost {
  std::vector<std::string_view> policies;  // those that choose alike
  std::string why_not;                     // why they choose nothing here; empty: they do
  std::map<Verdict, size_t> verdicts;      // on the consumers that the run measured at
  std::optional<ConsumerRate> worst;       // empty: not measured
  std::optional<double> loss;              // of it against the best policy's, 0…1
};

// Of every policy, in the table's order, those that choose alike together.
std::vector<PolicyCost> CostsOfPolicies(const Machine& machine, std::span<const CensusRow> census,
                                        std::span<const Sample> samples,
                                        const JudgeGates& gates = {});

// A table of at most 100 columns.
std::string FormatPolicyCosts(std::span<const PolicyCost> costs);

// One row per policy, behind a header: the columns of the run, then policy, the number of each
// verdict, the worst consumer with its dimension and throughput, the loss, and why it chooses
// nothing.
std::string PolicyCostsHeader();
std::string PolicyCostsCsv(const RunIdentity& run, std::span<const PolicyCost> costs);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_POLICY_COST_H_
