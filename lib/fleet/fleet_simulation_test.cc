// A hundred machines for twenty nights, by simulation: what is called slow, and what is missed.
//
// Seeds are fixed, so a failure is a change of the rules and no bad luck.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "lib/fleet/fleet_report.h"
#include "lib/fleet/simulated_fleet_testutil.h"

namespace railgauge {
namespace {

constexpr size_t kNights = 20;

struct NightOutcome {
  std::vector<std::string> slow;  // "n3 0000:4f:00.0"
  size_t suspects = 0;            // before the paired rounds
};

NightOutcome Night(size_t night, double ratio, size_t sick_node, uint32_t sick_slot) {
  SimulatedFleetOptions options;
  options.shape = kNoiseShapes[night % std::size(kNoiseShapes)];
  options.seed = 1 + night;
  options.speed = [=](const SimulatedTransfer& t) {
    return t.slot == sick_slot && (t.node == sick_node || t.peer == sick_node) ? ratio : 1;
  };
  SimulatedFleet fleet(options);
  const FleetTable table = fleet.MeasureAll();
  const FleetAnalysis analysis = Analyse(table);
  const FleetVerdicts verdicts =
      JudgeFleet(fleet.plan(), table, analysis, fleet.ConfirmAll(table, analysis), {});
  NightOutcome outcome;
  outcome.suspects = analysis.suspicions.size();
  for (const FleetRow& row : verdicts.rows) {
    if (row.verdict == FleetVerdict::kSlow) {
      outcome.slow.push_back(fleet.plan().nodes[row.node].name + " " + row.slot->ToString());
    }
  }
  return outcome;
}

TEST(FleetSimulationTest, NoHealthyMachineIsCalledSlowInTwentyNights) {
  size_t suspects = 0;
  for (size_t night = 0; night < kNights; ++night) {
    const NightOutcome outcome = Night(night, 1, 0, 0);
    suspects += outcome.suspects;
    EXPECT_EQ(outcome.slow, std::vector<std::string>()) << "night " << night;
  }
  std::printf("%zu suspects in %zu nights of 6400 slots\n", suspects, kNights);
  // Each costs nine paired rounds of three machines. Noise with long tails makes some.
  EXPECT_LE(suspects, 3 * kNights);
}

TEST(FleetSimulationTest, ANicThatIsFivePercentSlowerIsFound) {
  size_t found = 0;
  for (size_t night = 0; night < kNights; ++night) {
    const size_t node = (37 * night) % 100;
    const uint32_t slot = static_cast<uint32_t>(11 * night % 32);
    const NightOutcome outcome = Night(night, 0.95, node, slot);
    const std::string sick =
        "n" + std::to_string(node) + " " + SimulatedFleet::AddressOf(slot).ToString();
    for (const std::string& slow : outcome.slow) {
      EXPECT_EQ(slow, sick) << "night " << night;
      found += slow == sick ? 1 : 0;
    }
  }
  std::printf("found in %zu of %zu nights\n", found, kNights);
  EXPECT_GE(found, 19u);
}

}  // namespace
}  // namespace railgauge
