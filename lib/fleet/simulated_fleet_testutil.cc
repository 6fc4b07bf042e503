#include "lib/fleet/simulated_fleet_testutil.h"

#include <algorithm>
#include <set>
#include <utility>

#include "lib/stats/median.h"

namespace railgauge {
namespace {

// A p5's classes of place for one NIC, with their number of places and a speed of each.
struct Class {
  MemoryPlace::Kind kind;
  Relation relation;
  size_t places;
  double bytes_per_second;
};
constexpr Class kClasses[] = {
    {MemoryPlace::Kind::kGpu, Relation::kSameSwitch, 1, 12.5e9},
    {MemoryPlace::Kind::kGpu, Relation::kSameNumaNode, 3, 9e9},
    {MemoryPlace::Kind::kGpu, Relation::kOtherNumaNode, 4, 6e9},
    {MemoryPlace::Kind::kNumaNode, Relation::kSameNumaNode, 1, 12.5e9},
    {MemoryPlace::Kind::kNumaNode, Relation::kOtherNumaNode, 1, 11.5e9},
};

// JudgeGates::shortlist_z of the tools.
constexpr double kShortlistZ = -3;
constexpr double kSpreadFloor = 0.005;  // JudgeGates::class_spread_floor

std::vector<FleetNode> Nodes(size_t count) {
  std::vector<FleetNode> nodes;
  for (size_t i = 0; i < count; ++i) {
    nodes.push_back({"n" + std::to_string(i), "n" + std::to_string(i)});
  }
  return nodes;
}

}  // namespace

SimulatedFleet::SimulatedFleet(const SimulatedFleetOptions& options)
    : options_(options),
      plan_(*MakePlan(Nodes(options.nodes), {"--time-budget=45s"})),
      windows_(options.shape, options.deviation, options.seed),
      runs_(NoiseShape::kNormal, options.run_deviation, options.seed + 1'000'003) {
  // What a screening knows of the noise: the spread of a class.
  std::vector<double> windows;
  for (int i = 0; i < 1000; ++i) windows.push_back(windows_.Window());
  mad_ = *MedianAbsoluteDeviation(windows);
}

PciAddress SimulatedFleet::AddressOf(uint32_t slot) {
  PciAddress address;
  address.bus = static_cast<uint8_t>(0x40 + slot);
  return address;
}

double SimulatedFleet::MedianOfCell(double speed) {
  const double first = speed * windows_.Window();
  if (RobustZ(first, 1, mad_, kSpreadFloor) > kShortlistZ) return first;
  return *Median(std::vector<double>{first, speed * windows_.Window(), speed * windows_.Window()});
}

RunGroups SimulatedFleet::Measure(const PlannedPair& pair, const std::vector<uint32_t>& slots) {
  RunGroups run;
  run.run = {"run", plan_.nodes[pair.initiator].name, "", "p5.48xlarge", "emulated"};
  const double of_run = runs_.Window();
  for (uint32_t slot = 0; slot < options_.slots; ++slot) {
    if (!options_.has(pair.initiator, slot)) continue;
    run.nics.push_back({AddressOf(slot), "rdmap" + std::to_string(slot)});
    if (!options_.has(pair.target, slot)) continue;
    if (!slots.empty() && std::find(slots.begin(), slots.end(), slot) == slots.end()) continue;
    for (const Operation operation : {Operation::kRead, Operation::kWrite}) {
      for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
        for (const Class& one : kClasses) {
          const double speed = of_run * options_.speed({pair.initiator, pair.target, slot,
                                                        direction, one.relation, one.kind});
          std::vector<double> places;
          for (size_t i = 0; i < one.places; ++i) places.push_back(MedianOfCell(speed));
          run.medians.emplace_back(
              FleetGroup{"p5.48xlarge", AddressOf(slot), operation, direction, one.kind,
                         one.relation, Bytes{1 << 20}, run.run.platform},
              one.bytes_per_second * MedianInPlace(places));
        }
      }
    }
  }
  return run;
}

FleetTable SimulatedFleet::MeasureAll() {
  FleetTable table;
  for (const auto& round : plan_.rounds) {
    for (const PlannedPair& pair : round) {
      if (options_.measured(pair)) table.Add(pair, Measure(pair));
    }
  }
  return table;
}

std::vector<ConfirmationOutcome> SimulatedFleet::ConfirmAll(const FleetTable& table,
                                                            const FleetAnalysis& analysis) {
  std::vector<std::vector<PairedRound>> rounds(analysis.suspicions.size());
  std::set<size_t> taken;
  for (size_t i = 0; i < rounds.size(); ++i) {
    const Suspicion& suspicion = analysis.suspicions[i];
    const auto planned = PlanConfirmation(suspicion, plan_, table, analysis, taken);
    if (!planned) continue;
    for (size_t round = 0; round < kConfirmRounds; ++round) {
      const RunGroups suspect = Measure(planned->suspect, suspicion.slots);
      const RunGroups reference = Measure(planned->reference, suspicion.slots);
      const auto paired = RoundOf(suspicion, table, suspect, reference);
      if (paired) rounds[i].push_back(*paired);
    }
  }
  return JudgeConfirmations(rounds);
}

SimulatedFleetOptions SmallFleet() {
  SimulatedFleetOptions options;
  options.nodes = 9;
  options.slots = 4;
  options.deviation = 0.005;
  options.run_deviation = 0.002;
  return options;
}

SimulatedFleetOptions SickFleet() {
  SimulatedFleetOptions options = SmallFleet();
  options.speed = [](const SimulatedTransfer& t) {
    return t.slot == 2 && (t.node == 3 || t.peer == 3) ? 0.6 : 1;
  };
  options.has = [](size_t node, uint32_t slot) { return node != 8 || slot != 1; };
  options.measured = [](const PlannedPair& pair) { return pair.initiator != 5; };
  return options;
}

}  // namespace railgauge
