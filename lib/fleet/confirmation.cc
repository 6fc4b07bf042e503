#include "lib/fleet/confirmation.h"

#include <algorithm>
#include <map>
#include <utility>

#include "lib/report/bounded_json.h"
#include "lib/stats/false_discovery.h"
#include "lib/stats/median.h"
#include "lib/stats/ratio_outcome.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::ordered_json;

// Of a machine, as many NICs as show that it is one.
constexpr size_t kMostNics = 4;
// Wider intervals that hold "equal" tell nothing (JudgeGates::noisy_width).
constexpr double kNoisyWidth = 0.10;

// The machines that a suspicion can be held against, in the order of the plan from behind it.
std::vector<size_t> HealthyNodes(const Suspicion& suspicion, const FleetPlan& plan,
                                 const FleetTable& table, const FleetAnalysis& analysis) {
  std::set<size_t> sick;
  for (const Suspicion& other : analysis.suspicions) {
    sick.insert(other.node);
    if (other.kind == SuspectKind::kPath || other.could_be_peer) sick.insert(*other.peer);
  }
  for (const MissingNic& missing : analysis.missing) sick.insert(missing.node);
  for (const FleetRun& run : table.runs()) {
    if (!run.wrong_data.empty()) sick.insert(run.pair.initiator);
  }
  std::optional<MachineType> type;
  for (const FleetRun& run : table.runs()) {
    if (run.pair.initiator == suspicion.node || !type) type = TypeOf(run.run);
    if (run.pair.initiator == suspicion.node) break;
  }
  std::set<size_t> fit;
  for (const FleetRun& run : table.runs()) {
    if (TypeOf(run.run) != type || sick.count(run.pair.initiator) != 0) continue;
    const bool has_all =
        std::all_of(suspicion.slots.begin(), suspicion.slots.end(), [&](uint32_t slot) {
          return std::find(run.slots.begin(), run.slots.end(), slot) != run.slots.end();
        });
    if (has_all) fit.insert(run.pair.initiator);
  }
  std::vector<size_t> nodes;
  for (size_t i = 1; i < plan.nodes.size(); ++i) {
    const size_t node = (suspicion.node + i) % plan.nodes.size();
    if (fit.count(node) != 0) nodes.push_back(node);
  }
  return nodes;
}

// The first that no other confirmation has, and else the first.
std::optional<size_t> Choose(std::vector<size_t>& nodes, std::set<size_t>& taken) {
  if (nodes.empty()) return std::nullopt;
  auto chosen =
      std::find_if(nodes.begin(), nodes.end(), [&](size_t node) { return taken.count(node) == 0; });
  if (chosen == nodes.end()) chosen = nodes.begin();
  const size_t node = *chosen;
  nodes.erase(chosen);
  taken.insert(node);
  return node;
}

std::optional<size_t> NodeNamed(const Json& value, const FleetPlan& plan) {
  if (!value.is_string()) return std::nullopt;
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    if (plan.nodes[i].name == value.get_ref<const std::string&>()) return i;
  }
  return std::nullopt;
}

std::optional<PlannedPair> PairNamed(const Json& object, const FleetPlan& plan) {
  if (!object.is_object()) return std::nullopt;
  const auto initiator = NodeNamed(object.value("initiator", Json()), plan);
  const auto target = NodeNamed(object.value("target", Json()), plan);
  if (!initiator || !target || *initiator == *target) return std::nullopt;
  return PlannedPair{*initiator, *target};
}

Json PairJson(const PlannedPair& pair, const FleetPlan& plan) {
  return {{"initiator", plan.nodes[pair.initiator].name}, {"target", plan.nodes[pair.target].name}};
}

}  // namespace

std::optional<ConfirmationPlan> PlanConfirmation(const Suspicion& suspicion, const FleetPlan& plan,
                                                 const FleetTable& table,
                                                 const FleetAnalysis& analysis,
                                                 std::set<size_t>& taken) {
  std::vector<size_t> healthy = HealthyNodes(suspicion, plan, table, analysis);
  ConfirmationPlan confirmation;
  const auto common = Choose(healthy, taken);
  if (!common) return std::nullopt;
  if (suspicion.kind == SuspectKind::kPath) {
    confirmation.suspect = {suspicion.node, *suspicion.peer};
    confirmation.reference = {suspicion.node, *common};
  } else {
    const auto reference = Choose(healthy, taken);
    if (!reference) return std::nullopt;
    confirmation.suspect = {suspicion.node, *common};
    confirmation.reference = {*reference, *common};
    if (suspicion.as_target && suspicion.kind == SuspectKind::kPlace) {
      confirmation.suspect = {*common, suspicion.node};
      confirmation.reference = {*common, *reference};
    }
  }
  for (const uint32_t slot : suspicion.slots) {
    if (confirmation.nics.size() == kMostNics) break;
    confirmation.nics.push_back(table.slots()[slot].ToString());
  }
  return confirmation;
}

std::string ToJson(const ConfirmationPlan& confirmation, const FleetPlan& plan) {
  const Json json = {{"schema_version", 1},
                     {"suspect", PairJson(confirmation.suspect, plan)},
                     {"reference", PairJson(confirmation.reference, plan)},
                     {"nics", confirmation.nics}};
  return json.dump(1) + "\n";
}

Result<ConfirmationPlan> ParseConfirmation(std::string_view json, const FleetPlan& plan,
                                           const std::string& path) {
  constexpr char kAdvice[] = "Remove its folder; what stands out still is measured again";
  RAILGAUGE_ASSIGN_OR_RETURN(const Json root, ParseBoundedJson<Json>(json, path, kAdvice));
  const auto suspect =
      root.is_object() ? PairNamed(root.value("suspect", Json()), plan) : std::nullopt;
  const auto reference =
      root.is_object() ? PairNamed(root.value("reference", Json()), plan) : std::nullopt;
  const Json nics = root.is_object() ? root.value("nics", Json()) : Json();
  ConfirmationPlan confirmation;
  bool good = suspect && reference && nics.is_array() && !nics.empty();
  for (const Json& nic : nics) {
    good = good && nic.is_string() && PciAddress::Parse(nic.get_ref<const std::string&>());
    if (good) confirmation.nics.push_back(nic.get<std::string>());
  }
  if (!good) {
    return Fail(MakeError("read", path, "it is none of this plan's suspicions", kAdvice));
  }
  confirmation.suspect = *suspect;
  confirmation.reference = *reference;
  return confirmation;
}

std::optional<PairedRound> RoundOf(const Suspicion& suspicion, const FleetTable& table,
                                   const RunGroups& suspect, const RunGroups& reference) {
  const auto counts = [&](const FleetGroup& group) {
    return suspicion.kind != SuspectKind::kPlace ||
           std::any_of(suspicion.groups.begin(), suspicion.groups.end(),
                       [&](uint32_t one) { return table.groups()[one] == group; });
  };
  const std::map<FleetGroup, double> others(reference.medians.begin(), reference.medians.end());
  std::vector<double> ratios;
  for (const auto& [group, throughput] : suspect.medians) {
    const auto other = others.find(group);
    if (other == others.end() || other->second <= 0 || !counts(group)) continue;
    ratios.push_back(throughput / other->second);
  }
  if (ratios.empty()) return std::nullopt;
  return PairedRound{MedianInPlace(ratios), 1};
}

std::vector<ConfirmationOutcome> JudgeConfirmations(
    std::span<const std::vector<PairedRound>> rounds, const FleetGates& gates) {
  std::vector<ConfirmationOutcome> outcomes(rounds.size());
  std::vector<double> p_values;
  for (size_t i = 0; i < rounds.size(); ++i) {
    outcomes[i].ratio = ComparePaired(rounds[i]);
    p_values.push_back(outcomes[i].ratio ? outcomes[i].ratio->p_value : 1);
  }
  const FalseDiscovery discovery(p_values);
  const OutcomeGates outcome_gates{gates.differs, gates.differs, kNoisyWidth};
  for (size_t i = 0; i < rounds.size(); ++i) {
    switch (AmongMany(OutcomeOf(outcomes[i].ratio, outcome_gates), discovery.Adjusted(p_values[i]),
                      gates.false_discovery)) {
      case Outcome::kWorse:
        outcomes[i].confirmed = Confirmed::kSlow;
        break;
      case Outcome::kNotWorse:
      case Outcome::kDiffers:
        outcomes[i].confirmed = Confirmed::kNot;
        break;
      case Outcome::kNoisy:
      case Outcome::kUnproven:
        break;
    }
  }
  return outcomes;
}

}  // namespace railgauge
