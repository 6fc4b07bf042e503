// Confirmation: what stood out is measured again, in turn with a healthy reference, round by round.
//
// What drifts from night to night or from run to run hits both alike and cancels in the round's
// ratio (stats/paired_ratio.h); by its two gates a suspicion becomes a verdict or is dropped. A
// NIC, a machine or a place is measured with a target that is neither's neighbour, and the
// reference with the same one. A path is measured against the same initiator with another target.
#ifndef RAILGAUGE_LIB_FLEET_CONFIRMATION_H_
#define RAILGAUGE_LIB_FLEET_CONFIRMATION_H_

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/fleet/fleet_analysis.h"
#include "lib/fleet/fleet_plan.h"
#include "lib/fleet/fleet_table.h"
#include "lib/stats/paired_ratio.h"

namespace railgauge {

inline constexpr size_t kConfirmRounds = 9;

struct ConfirmationPlan {
  PlannedPair suspect;
  PlannedPair reference;
  std::vector<std::string> nics;  // PCI addresses: what is measured
  friend bool operator==(const ConfirmationPlan&, const ConfirmationPlan&) = default;
};

// Chooses healthy machines of the suspect's type that have its slots, in the plan's order from
// behind the suspect, those in `taken` last; then puts them into `taken`. Empty where there are too
// few healthy ones.
std::optional<ConfirmationPlan> PlanConfirmation(const Suspicion& suspicion, const FleetPlan& plan,
                                                 const FleetTable& table,
                                                 const FleetAnalysis& analysis,
                                                 std::set<size_t>& taken);

// suspicion.json, so that a later run goes on with the same machines.
std::string ToJson(const ConfirmationPlan& confirmation, const FleetPlan& plan);
Result<ConfirmationPlan> ParseConfirmation(std::string_view json, const FleetPlan& plan,
                                           const std::string& path);

// How the suspect's medians of one round relate to the reference's: the median over the groups that
// both have (of kPlace: over the suspicion's own). Empty where they have none in common.
std::optional<PairedRound> RoundOf(const Suspicion& suspicion, const FleetTable& table,
                                   const RunGroups& suspect, const RunGroups& reference);

enum class Confirmed {
  kSlow,  // slower by more than FleetGates::differs, and certain
  kNot,   // not slower, as far as the rounds can tell
  kOpen,  // the rounds are too few or too noisy
};

struct ConfirmationOutcome {
  Confirmed confirmed = Confirmed::kOpen;
  std::optional<PairedRatio> ratio;  // empty without a round
};

// Of all confirmations of a fleet at once, since they share its share of false findings.
std::vector<ConfirmationOutcome> JudgeConfirmations(
    std::span<const std::vector<PairedRound>> rounds, const FleetGates& gates = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_CONFIRMATION_H_
