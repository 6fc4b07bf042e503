#include "lib/placement/gates.h"

#include <set>
#include <string_view>

#include "gtest/gtest.h"
#include "lib/stats/simulation_testutil.h"

namespace railgauge {
namespace {

// The error rates of statistics_benchmark are those of the judge only while both use the same
// numbers.
TEST(GatesTest, AreTheOnesThatAreSimulated) {
  const JudgeGates gates;
  const SimulatedGates simulated;
  EXPECT_EQ(gates.differs, simulated.differs);
  EXPECT_EQ(gates.bad_placement, simulated.bad_placement);
  EXPECT_EQ(gates.noisy_width, simulated.noisy_width);
  EXPECT_EQ(gates.false_discovery, simulated.false_discovery);
  EXPECT_EQ(gates.shortlist_z, simulated.shortlist_z);
  EXPECT_EQ(gates.class_spread_floor, simulated.class_spread_floor);
  EXPECT_EQ(gates.confidence, PairedOptions().confidence);
  EXPECT_EQ(gates.clearance, PairedOptions().clearance);
  EXPECT_LE(gates.min_rounds, simulated.rounds);
}

TEST(GatesTest, EveryOneIsDescribedOnceWithAReason) {
  std::set<std::string_view> names;
  for (const NamedGate& gate : Describe(JudgeGates())) {
    EXPECT_TRUE(names.insert(gate.name).second) << gate.name;
    EXPECT_FALSE(gate.reason.empty()) << gate.name;
  }
  EXPECT_EQ(names.size(), 15u) << "a gate that is not in run.json cannot be repeated";
}

}  // namespace
}  // namespace railgauge
